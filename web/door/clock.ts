/** One comparison of the clocks: the time of the server, and when the device sent the request and got the response. */
interface ClockSample {
  serverNow: number;
  sentAt: number;
  receivedAt: number;
}

/** After this time a new comparison replaces a more exact one, because clocks drift and people set them. */
const sampleLifetime = 60_000;

/** The clock of the server, as far as the device knows it. Scans carry this time, so that devices with a wrong clock agree on the order. */
export class ServerClock {
  /** What to add to the clock of the device, in milliseconds. */
  offset: number;
  #precision = Number.POSITIVE_INFINITY;
  #measuredAt = 0;
  readonly #deviceNow: () => number;

  constructor(offset = 0, deviceNow: () => number = () => Date.now()) {
    this.offset = offset;
    this.#deviceNow = deviceNow;
  }

  now(): number {
    return this.#deviceNow() + this.offset;
  }

  /** The server read its clock at some time between request and response. A short round trip is more exact than a long one. */
  measure({ serverNow, sentAt, receivedAt }: ClockSample): void {
    const precision = receivedAt - sentAt;
    const isStale = Math.abs(receivedAt - this.#measuredAt) > sampleLifetime;
    if (precision < 0 || (precision > this.#precision && !isStale)) return;
    this.offset = Math.round(serverNow - (sentAt + receivedAt) / 2);
    this.#precision = precision;
    this.#measuredAt = receivedAt;
  }
}

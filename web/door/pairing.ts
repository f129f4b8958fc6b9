interface Pairing {
  token: string;
  eventId: number;
}

/**
 * Reads the link of a QR code that pairs a device, such as `https://tickets.example/door/#pair=tsd_12_…`. Returns null if the text is no such
 * link.
 */
export function readPairing(text: string): Pairing | null {
  const parameters = new URLSearchParams(/#(.+)$/.exec(text)?.[1] ?? '');
  const token = parameters.get('pair') ?? '';
  const eventId = Number(/^tsd_(\d+)_/.exec(token)?.[1] ?? parameters.get('event') ?? '');
  return token.startsWith('tsd_') && eventId > 0 ? { token, eventId } : null;
}

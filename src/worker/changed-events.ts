/** Every round of this number searches all events, because notices can be lost. */
const roundsBetweenPolls = 10;

/**
 * The events whose stock may have changed since the last round of a job. Notices of page changes name them: every refund, expired hold or
 * raised limit of a sold-out item changes its page.
 */
export class ChangedEvents {
  readonly #ids = new Set<number>();
  #round = 0;

  /** `payload` is the id of an event, or null or `*` for all events. */
  readonly add = (payload: string | null): void => {
    const id = Number(payload);
    if (payload === null || !Number.isSafeInteger(id)) this.#round = 0;
    else this.#ids.add(id);
  };

  /** Returns the events to search in this round. Null means all events. */
  take(): readonly number[] | null {
    const ids = [...this.#ids];
    this.#ids.clear();
    return this.#round++ % roundsBetweenPolls === 0 ? null : ids;
  }
}

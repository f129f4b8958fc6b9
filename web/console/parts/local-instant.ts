/** An instant as the local time of the reader, as `DateTimeField` shows it. */
export function toLocal(instant: string): string {
  const time = new Date(instant);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** A local time of the reader as an instant. */
export const toInstant = (local: string): string => new Date(local.replace(' ', 'T')).toISOString();

/** A random key for a write that is sent again until it is answered. `randomUUID` exists only on HTTPS pages. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

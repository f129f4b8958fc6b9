/** Returns the id that the text is, or null if it is none. Larger numbers would not be exact. */
export const parseId = (text: string): number | null => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null);

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const fromHex = (text: string): number[] => (text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));

async function saltedHash(saltInHex: string, text: string): Promise<string> {
  const bytes = new Uint8Array([...fromHex(saltInHex), ...new TextEncoder().encode(text)]);
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** The hash of an imported code, as the manifest has it. */
export const codeHash = async (salt: string, code: string): Promise<string> => (await saltedHash(salt, code.trim())).slice(0, 32);

/** The hash of a short code, as the manifest has it. */
export const shortHash = async (salt: string, shortCode: string): Promise<string> => (await saltedHash(salt, shortCode)).slice(0, 10);

/** Returns the letters of a short code as the server writes them, or null if the text is none. */
export function readShortCode(text: string): string | null {
  const letters = text.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{8,12}$/.test(letters) ? letters : null;
}

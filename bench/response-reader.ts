interface RawResponse {
  status: number;
  /** The status line and the headers of the response. */
  head: string;
}

/** Gets each chunk that arrives on a connection. Returns a response when it is complete. */
export type ResponseReader = (chunk: Buffer) => RawResponse | undefined;

const endOfHead = '\r\n\r\n';

/** Reads responses that have a Content-Length. */
export function readResponses(): ResponseReader {
  let text = '';
  return (chunk) => {
    text = text === '' ? chunk.toString('latin1') : text + chunk.toString('latin1');
    const headLength = text.indexOf(endOfHead);
    if (headLength < 0) return undefined;
    const lengthAt = text.indexOf('ontent-length: ') + 15;
    if (text.length < headLength + endOfHead.length + Number.parseInt(text.slice(lengthAt, lengthAt + 10), 10)) return undefined;
    const response = { status: Number(text.slice(9, 12)), head: text.slice(0, headLength) };
    text = '';
    return response;
  };
}

/**
 * Reads responses by counting their bytes, so that reading a page needs very little CPU time. All responses must have the length of the first
 * response. The reader assumes that they also have its status. A longer response gets status 0.
 */
export function countEqualResponses(): ResponseReader {
  let first: { status: number; length: number } | null = null;
  let received = 0;
  return (chunk) => {
    first ??= describe(chunk);
    received += chunk.length;
    if (received < first.length) return undefined;
    const status = received === first.length ? first.status : 0;
    received = 0;
    return { status, head: '' };
  };
}

/** Returns the status and the length of a response. The first chunk must contain all headers. */
function describe(chunk: Buffer): { status: number; length: number } {
  const head = chunk.toString('latin1', 0, Math.max(0, chunk.indexOf(endOfHead)));
  const contentLength = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return { status: Number(head.slice(9, 12)), length: head.length + endOfHead.length + contentLength };
}

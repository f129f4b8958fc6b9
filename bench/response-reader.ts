interface RawResponse {
  status: number;
  /** Status line and headers. */
  head: string;
}

/** Takes what arrives on a connection; returns a response when it is complete. */
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
 * Only counts bytes, so that reading a page costs next to nothing. All responses must have the length of the first one, and are taken to have its
 * status. A longer one gets status 0.
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

/** The status and length of a whole response, from its first chunk, which must contain all headers. */
function describe(chunk: Buffer): { status: number; length: number } {
  const head = chunk.toString('latin1', 0, Math.max(0, chunk.indexOf(endOfHead)));
  const contentLength = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return { status: Number(head.slice(9, 12)), length: head.length + endOfHead.length + contentLength };
}

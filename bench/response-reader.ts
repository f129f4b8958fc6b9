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
 * Only counts bytes, so that reading a page costs next to nothing. Every response must be as long as the first one, which must be a 200. A longer
 * one gets status 0.
 */
export function countEqualResponses(): ResponseReader {
  let expected = 0;
  let received = 0;
  return (chunk) => {
    expected ||= lengthOfPage(chunk);
    received += chunk.length;
    if (received < expected) return undefined;
    const status = received === expected ? 200 : 0;
    received = 0;
    return { status, head: '' };
  };
}

/** The length of the whole response, taken from its beginning. */
function lengthOfPage(chunk: Buffer): number {
  const headLength = chunk.indexOf(endOfHead);
  const head = chunk.toString('latin1', 0, Math.max(0, headLength));
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`Not a page: ${chunk.toString('latin1', 0, 200)}`);
  return headLength + endOfHead.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

import { Problem, UnexpectedAnswer } from './problem.ts';

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

const etags = new WeakMap<object, string>();

/** Returns the ETag of an answer. Send it as `ifMatch` with the next write. */
export const etagOf = (answer: object): string | undefined => etags.get(answer);

export function readAnswer({ status, headers, text }: Received): unknown {
  const unexpected = () => new UnexpectedAnswer(status, text, headers);
  if (text === '') {
    if (status >= 300) throw unexpected();
    return undefined;
  }
  const body = parse(text);
  if (typeof body !== 'object' || body === null) throw unexpected();
  if (status >= 300) throw 'code' in body ? new Problem(body, headers) : unexpected();
  const etag = headers.get('etag');
  if (etag) etags.set(body, etag);
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

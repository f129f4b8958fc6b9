import type { Fetch, Progress } from './call.ts';

/** The part of a response that the client uses. */
type ReceivedResponse = Pick<Response, 'status' | 'headers' | 'text'>;

interface FormInit {
  method: string;
  headers: Headers;
  body: FormData;
  signal: AbortSignal;
}

/** The part of XMLHttpRequest that the client uses. In browsers only XMLHttpRequest reports how many bytes are sent; `fetch` does not. */
interface Xhr {
  upload: { addEventListener(type: 'progress', listener: (event: { loaded: number }) => void): void };
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void;
  status: number;
  responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
}

export const hasFile = (body: string | FormData | undefined): body is FormData => typeof body === 'object';

export function sendWithProgress(
  url: string,
  init: FormInit,
  tell: (progress: Progress) => void,
  ownFetch?: Fetch,
): Promise<ReceivedResponse> {
  const total = (init.body.get('file') as Blob).size;
  // `bytes` counts the whole form, which is slightly larger than the file.
  const count = (bytes: number) => tell({ sent: Math.min(bytes, total), total });
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr };
  return XMLHttpRequest && !ownFetch
    ? sendByXhr(new XMLHttpRequest(), url, init, count)
    : sendAsStream(url, init, count, ownFetch ?? fetch);
}

function sendByXhr(
  xhr: Xhr,
  url: string,
  { method, headers, body, signal }: FormInit,
  count: (bytes: number) => void,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    xhr.upload.addEventListener('progress', ({ loaded }) => count(loaded));
    const fail = () => reject(new TypeError('XMLHttpRequest failed'));
    xhr.addEventListener('load', () => {
      const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/);
      const pairs = lines.map((line): [string, string] => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1).trim()]);
      resolve({ status: xhr.status, headers: new Headers(pairs), text: async () => xhr.responseText });
    });
    xhr.addEventListener('error', fail);
    xhr.addEventListener('abort', fail);
    signal.addEventListener('abort', () => xhr.abort());
    xhr.open(method, url);
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.send(body);
  });
}

/** Sends the form as a stream. The platform serializes the form, and a transform stream counts the bytes while they are sent. */
function sendAsStream(url: string, init: FormInit, count: (bytes: number) => void, send: Fetch): Promise<ReceivedResponse> {
  const form = new Response(init.body);
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      count(bytes);
      controller.enqueue(chunk);
    },
  });
  const headers = new Headers(init.headers);
  headers.set('content-type', form.headers.get('content-type') ?? '');
  const streamed = { ...init, headers, body: form.body?.pipeThrough(counting) ?? null, duplex: 'half' as const };
  return send(url, streamed);
}

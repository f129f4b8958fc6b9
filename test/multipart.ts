export interface Form {
  body: Buffer;
  headers: Record<string, string>;
}

export interface FormPart {
  name?: string;
  /** The name of the file. Null for a field that is not a file. */
  filename?: string | null;
  content: string | Buffer;
}

const boundary = '----tessera-test-boundary';

/** Serializes a multipart form in the format that clients send. */
export function form(parts: readonly FormPart[]): Form {
  const body = parts.flatMap(({ name = 'file', filename = 'codes.csv', content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === null ? '' : `; filename="${filename}"`}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...body, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, accept: '*/*' },
  };
}

export const csvForm = (content: string | Buffer): Form => form([{ content }]);

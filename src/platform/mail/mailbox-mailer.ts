import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { compose } from './compose.ts';
import type { Mailer, Message } from './mailer.ts';

/** Ids are padded with zeros, so that file names sort by id. */
export const fileNameOf = (id: number): string => `${String(id).padStart(16, '0')}.eml`;

/** Used when no mail server is configured: writes every mail to an `.eml` file that mail programs can open. */
export function createMailboxMailer(folder: string): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  async function send(message: Message): Promise<void> {
    const { message: bytes } = await composer.sendMail(compose(message));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(join(folder, fileNameOf(message.id)), bytes as Buffer);
  }
  return { send, close: () => composer.close() };
}

/** Writes to a temporary file and renames it, so that readers never see an incomplete mail. Replaces an existing file. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const unfinished = `${path}.part`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { compose } from './compose.ts';
import type { Mailer, Message } from './mailer.ts';

/** Of a mail in the mailbox; long enough that they sort by their numbers. */
export const fileNameOf = (id: number): string => `${String(id).padStart(16, '0')}.eml`;

/** Without a mail server: every mail is a file that any mail program opens. */
export function createMailboxMailer(folder: string): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  async function send(message: Message): Promise<void> {
    const { message: bytes } = await composer.sendMail(compose(message));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(join(folder, fileNameOf(message.id)), bytes as Buffer);
  }
  return { send, close: () => composer.close() };
}

/** Whoever reads the folder sees the whole mail or none. One that is written again takes the place of the first. */
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

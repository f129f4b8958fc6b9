import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { decodeCursor, rowsToFetch, toPage } from '../../kernel/cursor.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Page, PageQuery } from '../../kernel/schema.ts';
import type { MailboxEntry, MailboxMail } from './contract.ts';
import { fileNameOf } from './mailbox-mailer.ts';
import { mailKeptMs } from './outbox.ts';

/** Lists the mails in the folder, newest first. */
export async function listMailbox(folder: string | null, query: PageQuery): Promise<Page<MailboxEntry>> {
  const before = query.cursor === undefined ? Number.POSITIVE_INFINITY : decodeCursor(query.cursor, ['number'])[0];
  const ids = await idsIn(requireFolder(folder));
  const rows = ids.filter((id) => id < before).slice(0, rowsToFetch(query));
  const page = toPage(
    rows,
    query,
    (id) => [id],
    (id) => id,
    query.count ? ids.length : undefined,
  );
  const mails = await Promise.all(page.data.map((id) => read(requireFolder(folder), id)));
  return { ...page, data: mails.flatMap((mail) => (mail ? [entryOf(mail.id, mail.email)] : [])) };
}

export async function getMailboxMail(folder: string | null, id: number): Promise<MailboxMail> {
  const mail = await read(requireFolder(folder), id);
  if (!mail) throw new Problem('not_found');
  const { messageId, text = '', html = '', attachments } = mail.email;
  const pictures = attachments.map(({ contentId, filename, mimeType, content }) => ({
    cid: (contentId ?? '').replaceAll(/[<>]/g, ''),
    fileName: filename,
    source: `data:${mimeType};base64,${Buffer.from(content as string, 'base64').toString('base64')}`,
  }));
  return { ...entryOf(id, mail.email), messageId: messageId ?? '', text, html, pictures };
}

/** Removes mails that are older than 30 days, like the outbox. Returns how many it removed. */
export async function clearMailbox(folder: string, at: Date): Promise<number> {
  const before = new Date(at.getTime() - mailKeptMs);
  let removed = 0;
  for (const id of await idsIn(folder)) {
    const path = join(folder, fileNameOf(id));
    if ((await stat(path)).mtime >= before) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

function requireFolder(folder: string | null): string {
  if (folder === null) throw new Problem('not_found', 'Mails are sent by SMTP and are not stored in a mailbox');
  return folder;
}

/** Returns the ids of the mails, newest first. The folder is created with the first mail, so the folder may be missing. */
async function idsIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(emptyIfMissing([] as string[]));
  const ids = names.filter((name) => /^\d+\.eml$/.test(name)).map((name) => Number.parseInt(name, 10));
  return ids.toSorted((a, b) => b - a);
}

async function read(folder: string, id: number): Promise<{ id: number; email: Email } | null> {
  const bytes = await readFile(join(folder, fileNameOf(id))).catch(emptyIfMissing(null));
  return bytes && { id, email: await PostalMime.parse(bytes, { attachmentEncoding: 'base64' }) };
}

const emptyIfMissing =
  <T>(empty: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return empty;
    throw error;
  };

const entryOf = (id: number, { date, from, to, subject }: Email): MailboxEntry => ({
  id,
  at: new Date(date ?? 0).toISOString(),
  from: from ? formatAddress(from) : '',
  to: (to ?? []).map(formatAddress).join(', '),
  subject: subject ?? '',
});

const formatAddress = ({ name, address }: Address): string => (name ? `${name} <${address}>` : (address ?? ''));

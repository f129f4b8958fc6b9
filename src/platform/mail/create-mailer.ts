import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { createMailboxMailer } from './mailbox-mailer.ts';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** The folder in which mails are stored when no mail server is configured, else null. */
export const mailboxFolder = ({ smtpUrl, dataDir }: Config): string | null => (smtpUrl === null ? join(dataDir, 'mailbox') : null);

export function createMailer(config: Config): Mailer {
  const folder = mailboxFolder(config);
  return folder === null ? createSmtpMailer(config.smtpUrl ?? '') : createMailboxMailer(folder);
}

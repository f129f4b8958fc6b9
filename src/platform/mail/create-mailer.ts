import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { createMailboxMailer } from './mailbox-mailer.ts';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** Where mails are kept that no server takes; null where one does. */
export const mailboxFolder = ({ smtpUrl, dataDir }: Config): string | null => (smtpUrl === null ? join(dataDir, 'mailbox') : null);

export function createMailer(config: Config): Mailer {
  const folder = mailboxFolder(config);
  return folder === null ? createSmtpMailer(config.smtpUrl ?? '') : createMailboxMailer(folder);
}

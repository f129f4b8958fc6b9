import { type Capability, capability } from '../../http/capability.ts';
import { mailboxContract } from './contract.ts';
import { getMailboxMail, listMailbox } from './mailbox.ts';

/** `folder` is null if a mail server is configured. */
export const mailbox = (folder: string | null): Capability =>
  capability(mailboxContract, {
    listMailbox: (_tx, _act, { query }) => listMailbox(folder, query),
    getMailboxMail: (_tx, _act, { params }) => getMailboxMail(folder, params.id),
  });

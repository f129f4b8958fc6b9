import type { SendMailOptions } from 'nodemailer';
import { oneLine } from './letter.ts';
import { type Address, type Message, Refusal } from './mailer.ts';

/** What every mail server takes and no header can be broken with: no blanks, brackets, quotes or control signs. */
const plainAddress = /^[^\s\p{C}<>()[\]\\,;:@"]{1,64}@[^\s\p{C}<>()[\]\\,;:@"]{1,190}$/u;

export function requirePlain(address: string): string {
  if (!plainAddress.test(address)) throw new Refusal('The address of the recipient is not one that mail can be sent to');
  return address;
}

/** A name is for people to read: one line, and no longer than they would. */
const toMailbox = ({ name, address }: Address) => ({ name: oneLine(name).slice(0, 100), address: requirePlain(address) });

/** As the library takes it. Addresses are objects, never text to be parsed, and nothing is fetched from a file or an address. */
export function compose({ messageId, from, to, subject, text, html, pictures, at }: Message): SendMailOptions {
  return {
    from: toMailbox(from),
    to: toMailbox(to),
    // Bounces come back to who sends, and go to nobody else.
    envelope: { from: requirePlain(from.address), to: [requirePlain(to.address)] },
    subject: oneLine(subject),
    text,
    html,
    date: at,
    messageId: `<${messageId}>`,
    // No automaton answers to an automaton.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    attachments: pictures.map(({ cid, fileName, png }) => ({
      cid,
      filename: fileName,
      content: png,
      contentType: 'image/png',
      contentDisposition: 'inline' as const,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

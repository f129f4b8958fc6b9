import type { SendMailOptions } from 'nodemailer';
import { oneLine } from './letter.ts';
import { type Address, type Message, Refusal } from './mailer.ts';

/** What every mail server takes and no header can be broken with: no blanks, brackets, quotes or control signs. */
const plainAddress = /^[^\s\p{C}<>()[\]\\,;:@"]{1,64}@[^\s\p{C}<>()[\]\\,;:@"]{1,190}$/u;

export function requirePlain(address: string): string {
  if (!plainAddress.test(address)) throw new Refusal('The address of the recipient is not one that mail can be sent to');
  return address;
}

/** One line, no longer than people read, and nothing that mail programs take for an encoding and turn into something else. */
const headerText = (text: string): string => Array.from(oneLine(text).replaceAll('=?', '= ?')).slice(0, 150).join('');

const toMailbox = ({ name, address }: Address) => ({ name: headerText(name), address: requirePlain(address) });

/** As the library takes it. Addresses are objects, never text to be parsed, and nothing is fetched from a file or an address. */
export function compose({ messageId, from, to, subject, text, html, pictures, at }: Message): SendMailOptions {
  return {
    from: toMailbox(from),
    to: toMailbox(to),
    // Bounces come back to who sends, and go to nobody else.
    envelope: { from: requirePlain(from.address), to: [requirePlain(to.address)] },
    subject: headerText(subject),
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

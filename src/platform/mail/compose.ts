import type { SendMailOptions } from 'nodemailer';
import { oneLine } from './letter.ts';
import { type Address, MailRejected, type Message } from './mailer.ts';

/** An address without whitespace, brackets, quotes or control characters. All mail servers accept such addresses, and they cannot inject a header. */
const plainAddress = /^[^\s\p{C}<>()[\]\\,;:@"]{1,64}@[^\s\p{C}<>()[\]\\,;:@"]{1,190}$/u;

export function requirePlain(address: string): string {
  if (!plainAddress.test(address)) throw new MailRejected('The e-mail address has characters that are not allowed');
  return address;
}

/** Makes one line of at most 150 characters. `=?` is split, because mail programs would decode it as an encoded word (RFC 2047). */
const headerText = (text: string): string => Array.from(oneLine(text).replaceAll('=?', '= ?')).slice(0, 150).join('');

const toMailbox = ({ name, address }: Address) => ({ name: headerText(name), address: requirePlain(address) });

/** Addresses are passed as objects, so that nodemailer does not parse text. Nodemailer is not allowed to read files or URLs. */
export function compose({ messageId, from, to, subject, text, html, pictures, at }: Message): SendMailOptions {
  return {
    from: toMailbox(from),
    to: toMailbox(to),
    // The envelope is explicit, so that bounces go to the sender and no header can add a recipient.
    envelope: { from: requirePlain(from.address), to: [requirePlain(to.address)] },
    subject: headerText(subject),
    text,
    html,
    date: at,
    messageId: `<${messageId}>`,
    // Asks mail servers and programs not to send automatic replies.
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

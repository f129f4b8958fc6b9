import Type, { type Static } from 'typebox';
import { admin } from '../../kernel/access.ts';
import { route } from '../../kernel/route.ts';
import { Id, Instant, named, nullable, PageQuery, pageOf } from '../../kernel/schema.ts';

const entry = { id: Id, at: Instant, from: Type.String(), to: Type.String(), subject: Type.String() };
const MailboxEntry = named('MailboxEntry', entry);
export type MailboxEntry = Static<typeof MailboxEntry>;

const MailboxMail = named('MailboxMail', {
  ...entry,
  messageId: Type.String(),
  text: Type.String(),
  html: Type.String({ description: 'The HTML part of the mail. It refers to the pictures by `cid:` URLs.' }),
  pictures: Type.Array(
    named('MailPicture', {
      cid: Type.String(),
      fileName: nullable(Type.String()),
      source: Type.String({ description: 'The picture as a `data:` URL' }),
    }),
  ),
});
export type MailboxMail = Static<typeof MailboxMail>;

const exampleEntry = {
  id: 1,
  at: '2026-11-20T13:02:01.000Z',
  from: 'Tessera <tickets@tickets.example>',
  to: 'Ana Souza <ana@example.com>',
  subject: 'Seus ingressos: Noite de Samba',
};
const onlyWithoutSmtp =
  'Works only when `SMTP_URL` is not set: mails are then stored in a folder instead of being sent. Returns 404 otherwise.';

export const mailboxContract = {
  listMailbox: route({
    method: 'GET',
    path: '/mailbox',
    group: 'account',
    summary: 'List stored mails',
    description: `Lists the mails that would have been sent, newest first. ${onlyWithoutSmtp}`,
    access: admin,
    query: PageQuery,
    answer: { status: 200, body: pageOf(MailboxEntry) },
    examples: { query: { pageSize: 10 }, answer: { data: [exampleEntry], nextCursor: null } },
  }),
  getMailboxMail: route({
    method: 'GET',
    path: '/mailbox/{id}',
    group: 'account',
    summary: 'Get a stored mail',
    description: `Returns a mail that would have been sent, with its text, HTML and pictures. ${onlyWithoutSmtp}`,
    access: admin,
    params: Type.Object({ id: Id }),
    answer: { status: 200, body: MailboxMail },
    examples: {
      params: { id: 1 },
      answer: {
        ...exampleEntry,
        messageId: '<0b4cf9a2-6a43-4a4f-9a6c-6ab0f0a3f0a1@tickets.example>',
        text: 'Pagamento confirmado…',
        html: '<!doctype html>…',
        pictures: [{ cid: 'ticket-5001', fileName: 'ticket-5001.png', source: 'data:image/png;base64,iVBORw0KGgo…' }],
      },
    },
  }),
};

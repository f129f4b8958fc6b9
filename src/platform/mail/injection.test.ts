import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { noon } from '../../../test/world.ts';
import { payoutLetter } from '../../accounts/payout-mail.ts';
import { locales } from '../../kernel/locale.ts';
import { confirmationLetter, refundLetter } from '../../orders/order-mail-texts.ts';
import { disputeLetter } from '../../payments/dispute-mail-texts.ts';
import { compose } from './compose.ts';
import { exportReadyLetter } from './export-ready.ts';
import { type Letter, writeLetter } from './letter.ts';
import { MailRejected, type Message } from './mailer.ts';

const victim = 'smuggled@evil.test';
const hostile = [
  `Ana\r\nBcc: ${victim}`,
  'Ana\nX-Smuggled: yes',
  'Ana\rX-Smuggled: yes',
  'Ana\r\n\r\n<smuggled>a body of my own</smuggled>',
  'Ana\u2028X-Smuggled: yes',
  `"Ana" <${victim}>, Bea`,
  `Ana" <${victim}>, "Bea`,
  `=?utf-8?Q?Ana=0D=0ABcc:_${victim}?=`,
  '<smuggled onload=alert(1)>',
  '"><smuggled a="',
  "'><smuggled a='",
  '&lt;smuggled&gt; <!-- <smuggled> -->',
  '\u0000\u0007\u001b[31mAna',
  'Zoë Юлия "Neill" O\'Connor 🎟️',
  `Ana ${'x'.repeat(5_000)}`,
];

/** Renders every mail with this text in all fields that users can set. */
const lettersWith = (text: string): Letter[] =>
  locales.flatMap((locale) => {
    const order = {
      id: 1001,
      buyerName: text,
      eventTitle: text,
      timeZone: 'UTC',
      venue: text,
      sessions: [{ name: text, startsAt: noon }],
      lines: [{ name: text, quantity: 2, finalPrice: 5500 }],
      total: 11_000,
      currency: 'BRL',
      link: `https://shop.example/${text}`,
    };
    const ticket = {
      title: text,
      detail: text,
      code: text,
      picture: { cid: 'ticket-1@tessera', fileName: 'ticket-1.png', png: Buffer.alloc(9) },
    };
    const payload = {
      eventTitle: text,
      type: text,
      format: text,
      rows: 1,
      link: order.link,
      expiresAt: noon.toISOString(),
      timeZone: 'UTC',
    };
    const payout = { provider: text, account: text };
    const disputed = { title: text, currency: 'BRL', producer: text, disputedTickets: 'refuse' } as const;
    const dispute = { eventId: 1, orderId: 7, provider: text, status: 'open', amount: 1, fee: 1, reason: text, returnedTwice: 1 } as const;
    return [
      confirmationLetter(locale, order, [ticket], 3),
      refundLetter(locale, order, { eventCancelled: true, failed: false }),
      exportReadyLetter(locale, payload),
      payoutLetter(locale, { producer: text, before: payout, after: payout }),
      disputeLetter(locale, disputed, dispute),
    ];
  });

const messageOf = (letter: Letter, name: string): Message => ({
  id: 1,
  messageId: '0b4cf9a2@shop.example',
  from: { name, address: 'tickets@shop.example' },
  to: { name, address: 'ana@test.test' },
  ...writeLetter(letter),
  at: noon,
});

const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

async function sourceOf(message: Message): Promise<Buffer> {
  return (await transport.sendMail(compose(message))).message as Buffer;
}

const ours = new Set(
  ['from', 'to', 'subject', 'date', 'message-id', 'auto-submitted', 'x-auto-response-suppress', 'mime-version', 'content-type'].concat(
    'content-transfer-encoding',
  ),
);

/** Finds headers, addresses, markup and lines that the text injected into the mail. */
async function smuggled(source: Buffer): Promise<string[]> {
  const { headers, from, to = [], subject = '', text = '', html = '' } = await PostalMime.parse(source);
  const people = [from, ...to].flatMap((person) => (person?.group ? person.group : [person]));
  const [head = ''] = source.toString('latin1').split('\r\n\r\n');
  return [
    ...headers.filter(({ key }) => !ours.has(key)).map(({ key }) => `header ${key}`),
    ...people.filter((person) => !['tickets@shop.example', 'ana@test.test'].includes(person?.address ?? '')).map(() => 'address'),
    ...(people.length === 2 ? [] : ['people']),
    ...(/[\r\n\u2028]/.test(subject + people.map((person) => person?.name).join('')) ? ['line break'] : []),
    ...(/<\/?smuggled/i.test(html) ? ['markup'] : []),
    ...(/^(X-Smuggled|Bcc)/m.test(text) ? ['line of text'] : []),
    ...(head.split('\r\n').some((line) => line.length > 998) ? ['line too long'] : []),
  ];
}

describe('text that users typed', () => {
  it.each(hostile.map((text) => ({ start: text.slice(0, 60), text })))(
    '$start stays text in headers, HTML and plain text',
    async ({ text }) => {
      for (const letter of lettersWith(text)) expect(await smuggled(await sourceOf(messageOf(letter, text)))).toEqual([]);
    },
  );

  it('control: the same texts are detected in a mail that is built without escaping', async () => {
    const naive = (text: string) =>
      Buffer.from(
        `From: ${text} <tickets@shop.example>\r\nTo: ${text} <ana@test.test>\r\nSubject: ${text}\r\n` +
          `Content-Type: text/html\r\n\r\n<p title="${text}">${text}</p>`,
      );
    const harmless = ['Ana', 'Ana Souza'];
    for (const text of harmless) expect(await smuggled(naive(text))).toEqual([]);
    const noticed = new Set<string>();
    for (const text of hostile) for (const fault of await smuggled(naive(text))) noticed.add(fault.split(' ')[0] ?? '');
    expect([...noticed].toSorted()).toEqual(['address', 'header', 'line', 'markup', 'people']);
  });

  it('is shown unchanged when it is harmless', async () => {
    const name = 'Zoë Юлия "Neill" O\'Connor 🎟️';
    const [letter] = lettersWith(name);
    if (!letter) throw new Error('No letter');
    const { to, subject, html } = await PostalMime.parse(await sourceOf(messageOf(letter, name)));
    expect(to?.[0]).toEqual({ name, address: 'ana@test.test' });
    expect(subject).toBe(`Seus ingressos: ${name}`);
    expect(html).toContain('Zoë Юлия &quot;Neill&quot; O&#39;Connor 🎟️');
  });
});

describe('the address of a recipient', () => {
  const [letter] = lettersWith('Ana');
  const to = (address: string) => () => letter && compose({ ...messageOf(letter, 'Ana'), to: { name: 'Ana', address } });

  it.each([
    '',
    'ana',
    '@test.test',
    `ana@test.test, ${victim}`,
    `ana@test.test>\r\nRCPT TO:<${victim}`,
    `ana@test.test\nBcc: ${victim}`,
    `"ana ${victim}"@test.test`,
    `<${victim}>@test.test`,
    `ana@test.test\u0000`,
    `a@b@test.test`,
    'ana@[127.0.0.1]',
  ])('%j is rejected', (address) => {
    expect(to(address)).toThrow(MailRejected);
  });

  it.each(['ana@test.test', "o'neill+tickets@sub.test.test", 'zoë@exämple.test'])('%s is accepted', (address) => {
    expect(to(address)).not.toThrow();
  });
});

describe('the greeting', () => {
  it.each([
    ['Ana Souza', 'Hello Ana Souza,'],
    ["J. O'Neill", "Hello J. O'Neill,"],
    ['Win now at evil.test', 'Hello,'],
    ['https://evil.test', 'Hello,'],
    ['Call 0800 555 1234', 'Hello,'],
    ['x'.repeat(61), 'Hello,'],
  ])('for the name %s is %s', (name, greeting) => {
    const order = { id: 1, buyerName: name, eventTitle: 'Event', timeZone: 'UTC', venue: null, sessions: [], lines: [], total: 0 };
    const { blocks } = confirmationLetter('en', { ...order, currency: 'BRL', link: 'https://shop.example' }, [], 0);
    expect(blocks[1]).toEqual({ paragraph: greeting });
  });
});

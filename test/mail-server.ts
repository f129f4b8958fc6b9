import type { AddressInfo } from 'node:net';
import { callbackify } from 'node:util';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Certificate } from './certificate.ts';

interface Received {
  /** The envelope. */
  from: string;
  to: string[];
  secure: boolean;
  user: string | undefined;
  raw: string;
  email: Email;
}

interface Reply {
  code: number;
  text: string;
}

export interface MailServer {
  url: string;
  received: Received[];
  /** How many conversations there were. */
  connections: number;
  /** What the next recipients or messages are answered, one after the other; 250 when there is nothing left to say. */
  recipientReplies: Reply[];
  messageReplies: Reply[];
  /** How many of the next messages it hangs up in the middle of. */
  hangUps: number;
  /** How many of the next messages it takes in and says nothing to; and those it has. */
  silences: number;
  unanswered: number;
}

interface Kind {
  /** Offers STARTTLS with it, and hears passwords only from who used it; without one, in the clear. The password is `secret`. */
  certificate?: Certificate;
}

/** A mail server in the process of the test. */
export function useMailServer({ certificate }: Kind = {}): MailServer {
  const box = {} as MailServer;
  const server = new SMTPServer({
    ...(certificate ?? { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
    authOptional: true,
    logger: false,
    onConnect(_session, callback) {
      box.connections++;
      callback();
    },
    onAuth({ username, password }, _session, callback) {
      callback(password === 'secret' ? null : refusal({ code: 535, text: 'Wrong password' }), { user: username ?? '' });
    },
    onRcptTo(_address, _session, callback) {
      const reply = box.recipientReplies.shift();
      callback(reply ? refusal(reply) : null);
    },
    onData: takeInto(box, () => server.connections),
  });
  beforeAll(async () => {
    // Who hangs up in the middle is part of the test.
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    box.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    Object.assign(box, { received: [], connections: 0, recipientReplies: [], messageReplies: [], hangUps: 0, silences: 0, unanswered: 0 });
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return box;
}

const refusal = ({ code, text }: Reply): Error => Object.assign(new Error(text), { responseCode: code });

type Connections = SMTPServer['connections'];

function takeInto(box: MailServer, connections: () => Connections): NonNullable<SMTPServerOptions['onData']> {
  return (stream, session, callback) => {
    const chunks: Buffer[] = [];
    const hangUp = box.hangUps > 0;
    if (hangUp) box.hangUps--;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (hangUp) for (const { _socket } of connections()) _socket.destroy();
    });
    stream.on('end', () => {
      if (box.silences > 0) {
        box.silences--;
        box.unanswered++;
        return;
      }
      const reply = box.messageReplies.shift();
      if (reply) callback(refusal(reply));
      else callbackify(keep)(box, Buffer.concat(chunks), session, (error) => callback(error, 'Taken'));
    });
  };
}

type Session = Parameters<NonNullable<SMTPServerOptions['onData']>>[1];

async function keep(box: MailServer, bytes: Buffer, session: Session): Promise<void> {
  const { mailFrom, rcptTo } = session.envelope;
  box.received.push({
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    secure: session.secure,
    user: session.user,
    raw: bytes.toString('latin1'),
    email: await PostalMime.parse(bytes),
  });
}

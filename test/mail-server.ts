import type { AddressInfo } from 'node:net';
import { callbackify } from 'node:util';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Certificate } from './certificate.ts';

interface Received {
  /** The sender of the envelope, not of the headers. */
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

  connections: number;
  /** The replies to the next recipients and messages, in order. When the list is empty, the reply is 250. */
  recipientReplies: Reply[];
  messageReplies: Reply[];
  /** The number of next messages during which the server closes the connection. */
  hangUps: number;
  /** The number of next messages to which the server sends no reply. `unanswered` counts the messages that got no reply. */
  silences: number;
  unanswered: number;
}

interface Kind {
  /**
   * With a certificate the server offers STARTTLS and requires it for login. Without one, login is in plain text. The password is `secret`.
   */
  certificate?: Certificate;
}

/** Starts a mail server in the process of the test. */
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
    // Some tests close the connection during delivery, so errors are expected.
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

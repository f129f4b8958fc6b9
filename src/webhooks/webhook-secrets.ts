import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import type { Database, Tx } from '../postgres/database.ts';
import type { WebhookRow } from './webhooks.sql.ts';

const secretBytes = 24;
/** How long the previous secret signs too, so that receivers can be updated without a gap. */
export const oldSecretMs = 24 * 60 * 60_000;

const rowName = (id: number): string => `webhook ${id}`;

/** The form in which the secret is shown. Libraries for Standard Webhooks expect this prefix. */
const toText = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

/** Creates a secret. The text is shown once; the database gets only the sealed form. */
export function createSecret({ secrets }: Tx, webhookId: number): { text: string; sealed: Buffer } {
  const secret = randomBytes(secretBytes);
  return { text: toText(secret), sealed: secrets.seal(secret, rowName(webhookId)) };
}

export const reseal = ({ secrets }: Tx, webhookId: number, sealed: Buffer): Buffer =>
  secrets.seal(secrets.open(sealed, rowName(webhookId)), rowName(webhookId));

interface Signed {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Signs a message as Standard Webhooks describes. For a day after a rotation there are two signatures. Throws DecryptionError. */
export function sign({ secrets }: Database | Tx, webhook: WebhookRow, messageId: string, body: string, at: Date): Signed {
  const { id, sealed_secret, sealed_old_secret, old_secret_until } = webhook;
  const isOldValid = sealed_old_secret !== null && old_secret_until !== null && at < old_secret_until;
  const signatures = [sealed_secret, ...(isOldValid ? [sealed_old_secret] : [])].map((sealed) =>
    new Signer(toText(secrets.open(sealed, rowName(id)))).sign(messageId, at, body),
  );
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

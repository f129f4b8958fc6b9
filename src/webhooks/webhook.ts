import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Webhook } from './contract.ts';
import { isPublicAddress } from './public-address.ts';
import { addressIn } from './resolve-host.ts';
import { lockWebhook, selectWebhook, type WebhookRow } from './webhooks.sql.ts';

export const describeWebhook = (row: WebhookRow, at: Date): Webhook => ({
  id: row.id,
  url: row.url,
  types: row.types as Webhook['types'],
  paused: row.paused,
  failingSince: row.failing_since?.toISOString() ?? null,
  oldSecretUntil: row.old_secret_until && row.old_secret_until > at ? row.old_secret_until.toISOString() : null,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** Throws `not_found` if the producer has no such webhook. */
export async function requireWebhook(tx: Tx, producerId: number, id: number): Promise<WebhookRow> {
  const row = await selectWebhook(tx, producerId, id);
  if (!row) throw new Problem('not_found');
  return row;
}

export async function requireLockedWebhook(tx: Tx, producerId: number, id: number): Promise<WebhookRow> {
  const row = await lockWebhook(tx, id);
  if (row?.producer_id !== producerId) throw new Problem('not_found');
  return row;
}

export function requireActive({ paused }: WebhookRow): void {
  if (paused) throw new Problem('wrong_state', 'The webhook is paused. Resume it first.');
}

/**
 * Refuses addresses that can never work. What a host name resolves to is checked when a message is sent, because it may change. The fragment
 * is removed, because it is not part of a request.
 */
export function checkUrl(text: string, allowPrivate: boolean): string {
  const refuse = (code: string, message: string) => ruleViolation('url', code, message);
  if (!URL.canParse(text)) throw refuse('invalid', 'This is not a valid URL.');
  const url = new URL(text);
  url.hash = '';
  if (url.username || url.password) throw refuse('credentials', 'The URL must not contain a user name or password.');
  if (allowPrivate) return url.href;
  if (url.protocol !== 'https:') throw refuse('https', 'The URL must start with https://.');
  const address = addressIn(url);
  const isPublic = address === null ? isPublicName(url.hostname) : isPublicAddress(address);
  if (!isPublic) throw refuse('private', 'The address is not on the public internet.');
  return url.href;
}

/** Names without a dot, and the names that are reserved for local networks, are not on the public internet. */
const isPublicName = (name: string): boolean => /\.[^.]+$/.test(name) && !/\.(localhost|local|internal|test|invalid)\.?$/i.test(name);

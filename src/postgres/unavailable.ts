import pg from 'pg';

export const sqlState = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/** A connection leads to a standby, although the primary is needed. During a failover this lasts until the proxy or DNS has noticed. */
export class NotPrimary extends Error {
  constructor() {
    super('The server is a standby. The primary is needed.');
  }
}

/** A transaction that was begun as read-only tried to write. This is a bug, although the server reports the same error as a standby does. */
export class ReadOnlyViolation extends Error {}

/**
 * Whether the server refused the statement because it is a standby. 25006: a write. 0A000 and 55000: for example `start transaction read
 * write` or a lock, during recovery.
 */
export const isFromStandby = (error: unknown): boolean =>
  error instanceof NotPrimary ||
  sqlState(error) === '25006' ||
  (['0A000', '55000'].includes(sqlState(error)) && /recovery|hot standby/.test((error as Error).message));

const networkErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const driverMessages =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed|not queryable|Query read timeout/;

/**
 * Whether the server was unreachable, a standby or out of resources, or a timeout expired. The client may retry the request. If the commit
 * was already sent, it may have succeeded. Then the `Idempotency-Key` prevents that the request is carried out twice.
 */
export function isUnavailable(error: unknown): boolean {
  if (isFromStandby(error)) return true;
  const state = sqlState(error);
  // Class 08: connection, 53: resources, 57: shutdown and cancelled statements. 55P03: lock timeout. 25P03: idle in transaction.
  if (/^(08|53|57)/.test(state) || state === '55P03' || state === '25P03') return true;
  if (!(error instanceof Error) || state !== '') return false;
  const { code } = error as NodeJS.ErrnoException;
  // Several addresses of one host were tried.
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  return networkErrors.has(code ?? '') || driverMessages.test(error.message);
}

/** Whether the pool has no free connection. The server may be fine, so another server would not help. */
export const isPoolExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

export const isQueryTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03';

// Loaded into a service process with --import. It writes the idempotency key outside the transaction, half a
// second after the effect. The idempotency test must detect this fault.
import pg from 'pg';

const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (...args) {
  const { text = '', values } = args[0];
  if (!/(insert into|update) idempotency_key/.test(text)) return query.apply(this, args);
  setTimeout(() => query.apply(this, args), 500);
  const [, callers = [], hashes = []] = text.includes('insert') ? values : [];
  return Promise.resolve({ command: 'INSERT', rowCount: 1, rows: hashes.map((key_hash, i) => ({ caller: callers[i], key_hash })) });
};

// Loaded into a service process with --import. The idempotency test must detect this fault: the key is written outside the
// transaction, half a second after the effect.
import pg from 'pg';

const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (...args) {
  const { text = '', values } = args[0];
  if (!/(insert into|update) idempotency_key/.test(text)) return query.apply(this, args);
  setTimeout(() => query.apply(this, args), 500);
  const [, callers = [], hashes = []] = text.includes('insert') ? values : [];
  return Promise.resolve({ command: 'INSERT', rowCount: 1, rows: hashes.map((key_hash, i) => ({ caller: callers[i], key_hash })) });
};

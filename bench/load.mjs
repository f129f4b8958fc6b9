import { connect } from 'node:net';

/**
 * Keeps `connections` requests under way for `ms`, each on its own keep-alive connection, and answers how many were answered
 * and how long they took. On raw sockets and without reading more than the length of what comes, so that asking costs less than
 * answering: every answer must be as long as the first, or it counts as failed.
 */
export async function load({ port, path, connections = 64, ms = 3_000 }) {
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
  const latencies = [];
  const end = performance.now() + ms;
  let failed = 0;

  const client = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let expected = 0;
      let received = 0;
      let sentAt = 0;
      const ask = () => {
        received = 0;
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on('connect', ask).on('error', reject).on('close', resolve);
      socket.on('data', (chunk) => {
        expected ||= lengthOf(chunk);
        received += chunk.length;
        if (received < expected) return;
        if (received > expected || chunk.length === 0) failed++;
        const now = performance.now();
        latencies.push(now - sentAt);
        if (now < end) ask();
        else socket.end();
      });
    });

  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  return { ...summary(latencies, performance.now() - began), failed };
}

/** Of the whole answer, told by its beginning. */
function lengthOf(chunk) {
  const head = chunk.indexOf('\r\n\r\n');
  const headers = chunk.latin1Slice(0, head);
  if (head < 0 || !headers.startsWith('HTTP/1.1 200')) throw new Error(`Not a page: ${headers}`);
  return head + 4 + Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
}

/**
 * The same with requests that differ: `requestOf` answers the next one, as text, or null when there are no more. Answers are read to their end, each by its own
 * length, and counted by status. Who gets no answer for `patienceMs` gives up, and with them the run.
 */
export async function loadWith({ port, requestOf, connections = 64, ms = 3_000, patienceMs = 30_000 }) {
  const latencies = [];
  const statuses = {};
  const began = performance.now();
  const end = began + ms;

  const client = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let kept = '';
      let sentAt = 0;
      const ask = () => {
        const request = requestOf();
        sentAt = performance.now();
        if (request === null) socket.end();
        else socket.write(request);
      };
      socket.setTimeout(patienceMs, () => socket.destroy(new Error('No answer')));
      socket.on('connect', ask).on('error', reject).on('close', resolve);
      socket.on('data', (chunk) => {
        kept = kept === '' ? chunk.latin1Slice() : kept + chunk.latin1Slice();
        const head = kept.indexOf('\r\n\r\n');
        if (head < 0) return;
        const named = kept.indexOf('ontent-length: ');
        if (kept.length < head + 4 + Number.parseInt(kept.slice(named + 15, named + 25), 10)) return;
        const status = kept.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        kept = '';
        const now = performance.now();
        latencies.push(now - sentAt);
        if (now < end) ask();
        else socket.end();
      });
    });

  await Promise.all(Array.from({ length: connections }, client));
  return { ...summary(latencies, performance.now() - began), statuses };
}

function summary(latencies, ms) {
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: latencies.length / (ms / 1_000), p50: at(0.5), p99: at(0.99) };
}

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
  const seconds = (performance.now() - began) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), failed };
}

/** Of the whole answer, told by its beginning. */
function lengthOf(chunk) {
  const head = chunk.indexOf('\r\n\r\n');
  const headers = chunk.latin1Slice(0, head);
  if (head < 0 || !headers.startsWith('HTTP/1.1 200')) throw new Error(`Not a page: ${headers}`);
  return head + 4 + Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
}

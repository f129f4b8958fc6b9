// Loaded into a service process with --import. A request with the header `x-die` kills the process: `commit` kills it before the
// transaction is committed, `answer` after the commit and before the response is sent.
import { subscribe } from 'node:diagnostics_channel';
import { ServerResponse } from 'node:http';
import pg from 'pg';

let armed = null;
subscribe('http.server.request.start', ({ request }) => {
  armed = request.headers['x-die'] ?? armed;
});

const die = () => process.kill(process.pid, 'SIGKILL');

const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (...args) {
  if (armed === 'commit' && args[0].text === 'commit') return die();
  return query.apply(this, args);
};

const writeHead = ServerResponse.prototype.writeHead;
ServerResponse.prototype.writeHead = function (...args) {
  if (armed === 'answer') return die();
  return writeHead.apply(this, args);
};

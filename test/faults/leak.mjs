// Loaded into a service process with --import. Keeps some memory of every request for ever.
import { Server } from 'node:http';

const kept = [];
const { emit } = Server.prototype;
Server.prototype.emit = function leak(name, ...args) {
  if (name === 'request') kept.push(Array.from({ length: 16_384 }, (_, i) => i + kept.length));
  return emit.call(this, name, ...args);
};

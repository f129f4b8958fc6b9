// Loaded into the service processes with --import. Collects the garbage every few seconds, so that the memory that is left is really in use.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(() => collect(), 10_000).unref();

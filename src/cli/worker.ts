import { startWorker } from '../worker/start-worker.ts';
import { type Command, readArguments } from './command.ts';
import { openDatabase } from './open-database.ts';
import { onStopSignal } from './stop-limit.ts';

export const worker: Command = {
  summary: 'run only the background jobs',
  usage:
    'tessera worker\n\nRuns the background jobs for processes that have no worker in SERVE. Set the same DATABASE_URL as for those processes. Without DATABASE_URL it connects to the embedded database of a running service.',
  async run(args, { config, print }) {
    readArguments(args, 0, {});
    // Registered first, so that a signal during the start stops the worker too.
    const stopSignal = new Promise((resolve) => void onStopSignal(resolve));
    const database = await openDatabase({ config, log: print, exclusive: false });
    const json = (level: string) => (facts: object, message: string) => print(JSON.stringify({ level, ...facts, message }));
    const stop = await startWorker(config, database, database.clock, { info: json('info'), error: json('error') });
    print('The worker is running.');
    await stopSignal;
    await stop();
    await database.close();
    process.exit();
  },
};

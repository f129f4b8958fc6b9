import { startWorker } from '../worker/start-worker.ts';
import { type Command, readArguments } from './command.ts';
import { openDatabase } from './open-database.ts';

export const worker: Command = {
  summary: 'do the background work only, beside processes that serve without it',
  usage: 'tessera worker\n\nGive it the DATABASE_URL of the others. Without one it joins the embedded database of the service that runs.',
  async run(args, { config, print }) {
    readArguments(args, 0, {});
    const database = await openDatabase({ config, log: print, own: false });
    const json = (level: string) => (facts: object, message: string) => print(JSON.stringify({ level, ...facts, message }));
    const stop = startWorker(config, database.db, database.clock, { info: json('info'), error: json('error') });
    print('Tessera is working in the background.');
    await new Promise((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
    });
    await stop();
    await database.close();
  },
};

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.ts';
import { connectTo, type RemoteStandIn } from './remote.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface StandInProcess {
  origin: string;
  standIn: RemoteStandIn;
  /** Ends the process without warning and waits until it has ended. */
  kill(): Promise<void>;
}

/** Starts test/stripe/serve.ts as a process. `args` are its options, for example `--state-file`. */
export async function startStandInProcess(...args: string[]): Promise<StandInProcess> {
  const child = spawn(process.execPath, ['--import', './test/typescript.js', 'test/stripe/serve.ts', '--until-input-ends', ...args], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const origin = await addressOf(child);
  return {
    origin,
    standIn: connectTo(origin),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const origin = (): string => /ready at (\S+)\n/.exec(output)?.[1] ?? '';
  await eventually('the stand-in prints its address', () => origin() || child.exitCode !== null);
  if (!origin()) throw new Error(`The stand-in ended with code ${child.exitCode}.`);
  return origin();
}

import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Runs `work` while a control server listens. The server is a file of this folder and runs in its own process. */
export async function withControlServer<T>(
  file: 'echo-server.ts' | 'page-server.ts',
  argument: string,
  work: (port: number) => Promise<T>,
): Promise<T> {
  const child = fork(new URL(file, import.meta.url), [argument], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  try {
    const [port] = (await once(child, 'message', { signal: AbortSignal.timeout(60_000) })) as [number];
    return await work(port);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Called in the process of a control server. Listens on a free port and sends the port to the parent process. */
export async function listen(app: { listen(options: { port: number; host: string }): Promise<string> }): Promise<void> {
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  process.on('disconnect', () => process.exit());
  process.send?.(Number(new URL(address).port));
}

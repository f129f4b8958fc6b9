import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Echoes the body of this operation. */
export async function startEcho(operation) {
  const child = fork(new URL('./bare-echo.mjs', import.meta.url), [operation], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Shorter than the 30 s that Kubernetes gives a container between SIGTERM and SIGKILL. */
const stopLimitMs = 25_000;

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Calls `onSignal` for each signal to stop. If the process still runs 25 s after the first signal, for example because the database does not
 * respond, it ends with exit code 1. Returns a function that removes the handlers.
 */
export function onStopSignal(onSignal: (signal: string) => void, limitMs = stopLimitMs): () => void {
  let timer: NodeJS.Timeout | undefined;
  const handle = (signal: string) => {
    timer ??= setTimeout(() => {
      process.stderr.write(`The process did not stop within ${limitMs / 1000} s of ${signal}. It ends now.\n`);
      process.exit(1);
    }, limitMs).unref();
    onSignal(signal);
  };
  for (const signal of stopSignals) process.on(signal, handle);
  return () => {
    clearTimeout(timer);
    for (const signal of stopSignals) process.off(signal, handle);
  };
}

import { ProviderUnavailable } from './port.ts';

/**
 * Runs a request until the signal aborts or the time is over. The packages of the providers have no AbortSignal, and their timeouts do
 * not limit the whole request. A request that is given up may still have its effect.
 */
export function withinTime<T>(provider: string, signal: AbortSignal, timeoutMs: number, request: () => Promise<T>): Promise<T> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(new ProviderUnavailable(signal.aborted ? `The request to ${provider} was aborted.` : `${provider} did not respond in time.`));
    if (end.aborted) {
      stop();
      return;
    }
    end.addEventListener('abort', stop, { once: true });
    void request()
      .then(resolve, reject)
      .finally(() => end.removeEventListener('abort', stop));
  });
}

import type { Control } from './control.ts';
import { createClient, defaultSecretKey } from './stand-in.ts';

type Remote = { [F in keyof Control]: (...args: Parameters<Control[F]>) => Promise<Awaited<ReturnType<Control[F]>>> };

/** The control functions and a client of a stand-in that runs as a process of its own. */
export interface RemoteStandIn extends Remote {
  client: (options?: Parameters<typeof createClient>[2]) => ReturnType<typeof createClient>;
}

export function connectTo(origin: string, secretKey = defaultSecretKey): RemoteStandIn {
  const client: RemoteStandIn['client'] = (options) => createClient(Number(new URL(origin).port), secretKey, options);
  return new Proxy({} as RemoteStandIn, {
    get: (_target, name) => (name === 'client' ? client : (...args: unknown[]) => callControl(origin, String(name), args)),
  });
}

async function callControl(origin: string, name: string, args: unknown[]): Promise<unknown> {
  const response = await fetch(`${origin}/_control/${name}`, { method: 'POST', body: JSON.stringify(args) });
  const answer = (await response.json()) as { result?: unknown; error?: string };
  if (!response.ok) throw new Error(answer.error);
  return answer.result;
}

import type { AnswerOf, Caller, CallOptions, OperationName } from './call.ts';
import { baseAddress, type Environment, type Hosts } from './hosts.ts';
import { type Methods, methodsOf } from './methods.ts';
import { toRequest } from './request.ts';
import { type Bearer, createSend, type SendOptions } from './send.ts';
import { createSession, type SessionOptions } from './session.ts';

type Location = { environment: 'local'; hosts?: Hosts | undefined } | { environment?: Environment; hosts: Hosts };

export type ClientOptions = Location & SessionOptions & SendOptions;

export interface Client extends Methods {
  /** Calls any operation by its name in the API reference. */
  call: Caller;
}

/** Login and refresh are sent without a token. The client continues with the tokens that they return. */
const tokenOperations: ReadonlySet<OperationName> = new Set<OperationName>(['login', 'completeLogin', 'refresh', 'acceptInvitation']);
const returnsTokens = (name: OperationName): boolean => tokenOperations.has(name);

const unauthenticated: Bearer = { bearer: async () => undefined, renew: async () => undefined };

/** Creates a client. It sends nothing before the first call. */
export function createClient(options: ClientOptions): Client {
  const { environment = 'production', hosts } = options;
  const baseOf = baseAddress(environment, hosts);
  const send = createSend(options);
  const session = createSession(options, {
    login: (input) => run('login', input, {}),
    refresh: (input) => run('refresh', input, {}),
  });

  async function run(name: OperationName, input: object, callOptions: CallOptions): Promise<unknown> {
    const request = toRequest(name, input as Record<string, unknown>, callOptions);
    const answer = await send(request, baseOf(request.group), returnsTokens(name) ? unauthenticated : session, callOptions);
    if (returnsTokens(name)) session.keep(answer as AnswerOf<'login'>);
    if (name === 'logout') session.end();
    return answer;
  }

  const call = ((name: OperationName, input: object = {}, callOptions: CallOptions = {}) =>
    Object.assign(run(name, input, callOptions), { operation: name })) as Caller;
  return { call, ...methodsOf(call) };
}

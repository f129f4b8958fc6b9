import type { FastifyInstance, HTTPMethods, onSendAsyncHookHandler } from 'fastify';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Group, Route } from '../kernel/route.ts';
import { closed } from '../kernel/schema.ts';
import type { Tracing } from '../kernel/tracing.ts';
import type { Database } from '../postgres/database.ts';
import { basePath } from './base-path.ts';
import type { Capability } from './capability.ts';
import { eventPathOf } from './event-path.ts';
import type { Gate } from './gate.ts';
import { bodyLimitOf } from './json-body.ts';
import { type OperationInput, OperationSteps } from './operation-steps.ts';
import type { Operation, OperationResponse } from './run-operation.ts';
import type { FileStore } from './send-file.ts';
import { defaultUploadTimeouts, type UploadTimeouts, uploadHooks } from './upload.ts';
import { inputChecker, outputChecker } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
    upload?: boolean;
    /** The path of the request names the event, see `Route.inEvent`. */
    inEvent?: boolean;
  }
}

export interface ServerContext {
  db: Database;
  /** For uploads, which hold a connection as long as the client sends. Default: `db`. */
  longDb?: Database;
  /** For operations that may read from a replica. Default: `db`. */
  readDb?: Database;
  /** Whether operations that write are refused, because the database may be a standby. */
  readOnly?: boolean;
  /** The number of database connections for requests. */
  databasePool?: number;
  gate: Gate;
  clock: () => Date;
  /** The groups of operations that this process serves. */
  serve: ReadonlySet<string>;
  uploadTimeouts?: UploadTimeouts;
  /** Whether clients that would wait too long get 503. */
  shedding?: boolean;
  /** Whether the requests of a batch must belong to one event. */
  oneEventPerBatch?: boolean;
  /** The URL of the shop. Its scheme and origin decide how cookies of orders are set and from which pages they are accepted. */
  shopUrl?: string;
  /** Needed only if an operation sends stored files. */
  files?: FileStore;
  /** Finds the events of orders. Needed for operations with `inEvent` that are not batched. */
  findEventsOfOrders?: (ids: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  tracing?: Tracing | undefined;
  /** Headers of every response of a group, errors included. */
  groupHeaders?: Partial<Record<Group, Record<string, string>>>;
}

/** Runs an operation for a page of the web apps, in the same way as for a request to the API. */
export type Perform = (name: string, act: Act, input: OperationInput) => Promise<OperationResponse>;

/** Adds a route for every operation of the served groups. Pages can run all operations. */
export function mount(app: FastifyInstance, context: ServerContext, capabilities: readonly Capability[]): Perform {
  const operations = prepare(capabilities);
  const known = new Map<string, OperationSteps>();
  const stepsOf = (operation: Operation): OperationSteps => {
    const steps = known.get(operation.name) ?? new OperationSteps(app, context, operation);
    known.set(operation.name, steps);
    return steps;
  };
  const served = operations.filter(({ route }) => context.serve.has(route.group));
  for (const operation of served) mountOperation(app, context, operation, stepsOf(operation));
  refuseOtherMethods(app, context, served);
  return async (name, act, input) => {
    const operation = operations.find((each) => each.name === name);
    if (!operation) throw new Error(`There is no operation ${name}`);
    return stepsOf(operation).perform(act, input);
  };
}

function prepare(capabilities: readonly Capability[]): Operation[] {
  const operations = capabilities.flatMap(operationsOf);
  const reads = operations.filter(({ route }) => route.method === 'GET');
  for (const operation of operations) {
    const { path, versionOf } = operation.route;
    operation.versionOf = reads.find(({ name, route }) => (versionOf ? name === versionOf : route.path === path)) ?? null;
  }
  return operations;
}

const operationsOf = ({ contract, handlers }: Capability): Operation[] =>
  Object.entries(contract).map(([name, route]) => {
    const handler = handlers[name];
    if (!handler) throw new Error(`${name} has a contract but no handler`);
    return {
      name,
      route,
      handler,
      checkInput: inputChecker(withBody(route)),
      checkOutput: outputChecker(route.answer.body),
      versionOf: null,
    };
  });

/**
 * A DELETE without a body schema accepts only an empty object. If unknown fields were ignored, a request with an unknown filter would
 * delete too much.
 */
const withBody = (route: Route): Route => (route.method === 'DELETE' && !route.body ? { ...route, body: closed({}) } : route);

const fastifyPath = (path: string): string => basePath + path.replaceAll(/\{(\w+)\}/g, ':$1');

function mountOperation(app: FastifyInstance, context: ServerContext, operation: Operation, steps: OperationSteps): void {
  const { name, route } = operation;
  // If the permission depends only on the path, the permission is checked before the body is read.
  const scopeInPath = route.access.to === 'permitted' && route.access.on.every((source) => source.in === 'path');
  const uploads = route.upload && uploadHooks(route.upload, context.uploadTimeouts ?? defaultUploadTimeouts);
  const options = {
    method: route.method,
    config: { operation: name, upload: uploads !== undefined },
    bodyLimit: bodyLimitOf(route),
    onRequest: [steps.authenticate, ...(scopeInPath ? [steps.authorize] : []), ...(uploads ? [uploads.onRequest] : [])],
    preValidation: scopeInPath ? [] : [steps.authorize],
    onSend: groupHeadersHook(context, route.group),
    onResponse: uploads ? [uploads.onResponse] : [],
    handler: route.sends || route.live ? steps.stream : steps.handle,
  };
  app.route({ ...options, url: fastifyPath(route.path) });
  if (route.inEvent) app.route({ ...options, url: fastifyPath(eventPathOf(route)), config: { ...options.config, inEvent: true } });
}

const pathsOf = ({ route }: Operation): string[] => [route.path, ...(route.inEvent ? [eventPathOf(route)] : [])];

/** The headers are set in `onSend`, so that responses that are sent before the handler runs have them too. */
function groupHeadersHook(context: ServerContext, group: Group): onSendAsyncHookHandler[] {
  const headers = context.groupHeaders?.[group];
  return headers ? [async (_request, reply) => void reply.headers(headers)] : [];
}

/** Other methods on a known path return 405 with `Allow`. */
function refuseOtherMethods(app: FastifyInstance, context: ServerContext, operations: readonly Operation[]): void {
  const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const path of new Set(operations.flatMap(pathsOf))) {
    const here = operations.filter((operation) => pathsOf(operation).includes(path));
    const allowed = new Set<HTTPMethods>(here.map(({ route }) => route.method));
    if (allowed.has('GET')) allowed.add('HEAD');
    const allow = [...allowed, 'OPTIONS'].join(', ');
    app.route({
      method: methods.filter((method) => !allowed.has(method)),
      url: fastifyPath(path),
      exposeHeadRoute: false,
      onSend: here.flatMap(({ route }) => groupHeadersHook(context, route.group)),
      config: { unlisted: true },
      onRequest: async () => {
        throw new Problem('method_not_allowed', `Allowed methods: ${allow}.`, { headers: { allow } });
      },
      handler: async () => undefined,
    });
  }
}

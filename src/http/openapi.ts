import type { TSchema } from 'typebox';
import { edgeProblems, type ProblemCode, problems } from '../kernel/problem.ts';
import type { Contract, Group, Route, Upload } from '../kernel/route.ts';
import { Id } from '../kernel/schema.ts';
import { basePath } from './base-path.ts';
import { eventPathOf, namesEvent } from './event-path.ts';
import { isBodyOptional } from './validation.ts';

type Json = Record<string, unknown>;

/** The names and descriptions of the groups in the API reference. */
const tags: Record<Group, { name: string; description: string }> = {
  event: { name: 'Events', description: 'Create, publish and read events; crew, reports and exports' },
  ticket: { name: 'Items', description: 'Items of an event with their sale periods and prices; passkeys and imported codes' },
  shop: { name: 'Orders', description: 'Place, pay and refund orders, and get their tickets' },
  door: { name: 'Door', description: 'Check in tickets, online and offline' },
  account: { name: 'Accounts', description: 'Log-in, API tokens, users and producers' },
};

/** Generates the API reference (OpenAPI 3.1) from the contracts of the operations. */
export function openapi(contracts: readonly Contract[], version: string): Json {
  const schemas: Record<string, Json> = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  const groups = new Set<Group>();
  for (const [name, route] of contracts.flatMap((contract) => Object.entries(contract))) {
    groups.add(route.group);
    for (const [operationId, each] of [[name, route], ...(route.inEvent ? [[`${name}InEvent`, belowEvent(route)] as const] : [])] as const)
      paths[each.path] = { ...paths[each.path], [route.method.toLowerCase()]: describe(operationId, each, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version,
      description: 'Event ticketing. Every error response is a problem (RFC 9457) with a stable `code`.',
      contact: { name: 'The Tessera project' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath }],
    tags: [...groups].map((group) => tags[group]),
    paths: sorted(paths),
    components: {
      schemas: sorted(schemas),
      parameters: headerParameters,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token from `POST /auth/login`, or an API token',
        },
        orderSecret: {
          type: 'http',
          scheme: 'order',
          description: 'The `secret` from `POST /orders`, or the token in the link of a mail: `Authorization: Order SECRET`',
        },
        orderSecretHeader: {
          type: 'apiKey',
          in: 'header',
          name: 'Order-Secret',
          description: 'The same secret or token, for requests whose `Authorization` header has an access token',
        },
      },
    },
  };
}

/** The same operation with the event in its path. */
function belowEvent(route: Route): Route {
  const params: { properties?: object; required?: string[] } | undefined = route.params;
  const body: { required?: string[] } | undefined = route.body;
  const own = `The same as \`${route.method} ${route.path}\`, with the event in the path. A proxy can then send all requests of an event to the same process.`;
  return {
    ...route,
    path: eventPathOf(route),
    description: namesEvent(route)
      ? `${own} \`eventId\` may be left out of the body.`
      : `${own} If the order belongs to another event, the response is 404.`,
    params: { ...params, properties: { eventId: Id, ...params?.properties }, required: ['eventId', ...(params?.required ?? [])] } as never,
    ...(body && { body: { ...body, required: (body.required ?? []).filter((field) => field !== 'eventId') } }),
    examples: { ...route.examples, params: { eventId: 12, ...(route.examples.params as object | undefined) } },
  };
}

function describe(name: string, route: Route, schemas: Record<string, Json>): Json {
  const { answer, body, examples } = route;
  const media = (schema: TSchema, example: unknown) => ({
    'application/json': { schema: hoist(schema, schemas), ...(example !== undefined && { example }) },
  });
  return {
    operationId: name,
    tags: [tags[route.group].name],
    summary: route.summary,
    description: [route.description, accessText(route)].filter(Boolean).join('\n\n'),
    ...(route.deprecated && { deprecated: true }),
    security: securityOf(route),
    parameters: [...fieldParameters('path', route), ...fieldParameters('query', route), ...headersOf(route)],
    ...(body && { requestBody: { required: !isBodyOptional(body), content: media(body, examples.body) } }),
    ...(route.upload && { requestBody: { required: true, content: fileForm(route.upload) } }),
    responses: {
      ...(route.dryRun && {
        200: {
          description: 'Dry run: the request is valid, and nothing was stored',
          ...(answer.body && { content: media(answer.body, undefined) }),
        },
      }),
      [answer.status]: { description: successText[answer.status], ...contentOf(route, media) },
      ...problemResponses(route),
    },
  };
}

/** The content of a successful response: JSON, a file, or an event stream. */
function contentOf({ answer, sends, live, examples }: Route, media: (schema: TSchema, example: unknown) => Json): Json {
  if (sends) return { content: Object.fromEntries(sends.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }])) };
  if (!answer.body) return {};
  const json = media(answer.body, examples.answer);
  return { content: live ? { 'text/event-stream': json['application/json'] } : json };
}

const fileForm = ({ field, mediaType }: Upload): Json => ({
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: [field],
      // The keyword allows only one type. A list of types is in the encoding below.
      properties: { [field]: { type: 'string', contentMediaType: mediaType.includes(',') ? 'application/octet-stream' : mediaType } },
    },
    encoding: { [field]: { contentType: mediaType } },
  },
});

const successText = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted; the work continues in the background',
  204: 'Success without content',
};

function securityOf({ access, orderAccess }: Route): Record<string, []>[] {
  if (orderAccess) return [{ orderSecret: [] }, { orderSecretHeader: [] }, { token: [] }];
  return access.to === 'anyone' ? [] : [{ token: [] }];
}

function accessText({ access, orderAccess }: Route): string {
  if (access.to === 'anyone' && orderAccess)
    return 'For the buyer, with the secret of the order, and for crew members who may sell at the event.';
  if (access.to === 'anyone') return 'For everybody. No access token is needed.';
  if (access.to === 'admin') return 'Only for platform admins.';
  if (access.to === 'signedIn')
    return access.as === 'user' ? 'For all signed-in users, but not for API tokens.' : 'For all signed-in users.';
  const on = access.on.map(({ kind }) => kind).join(' or ');
  const others = `${access.orSecret ? `, or the secret of the ${on}` : ''}${access.orDevice ? `, or the token of a device of the ${on}` : ''}`;
  return `Requires the permission \`${access.permission}\` on the ${on}${others}.`;
}

function fieldParameters(place: 'path' | 'query', route: Route): Json[] {
  const schema = place === 'path' ? route.params : route.query;
  const examples = (place === 'path' ? route.examples.params : route.examples.query) as Json | undefined;
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (schema?.required as string[] | undefined)?.includes(name) === true,
    ...((property as { deprecated?: boolean }).deprecated && { deprecated: true }),
    schema: plain(property),
    ...(examples?.[name] !== undefined && { example: examples[name] }),
  }));
}

const headerParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A unique key that you choose for this request. If you send the same request again with the same key, it is not executed again: you get the stored response, for 7 days.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'f3b1c9c2-7a51-4d06-9d5e-1f5f0e6b8a11',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The ETag of the version that you read. If the resource has changed since then, nothing is written and you get 412.',
    schema: { type: 'string' },
    example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  },
};

function headersOf({ method, versionOf, signed }: Route): Json[] {
  if (method === 'GET') return [];
  const key = { $ref: '#/components/parameters/IdempotencyKey' };
  if (signed) return [key, ...signed.map((name) => signatureParameter(name, signed.length === 1))];
  return method === 'POST' && !versionOf ? [key] : [key, { $ref: '#/components/parameters/IfMatch' }];
}

const signatureParameter = (name: string, required: boolean): Json => ({
  name,
  in: 'header',
  required,
  description: required ? 'HMAC-SHA256 of the raw body, in hexadecimal.' : 'Depends on the provider.',
  schema: { type: 'string', ...(required && { pattern: '^[0-9a-f]{64}$' }) },
});

/** One response per status, whose description lists the problem codes of that status. */
function problemResponses(route: Route): Json {
  const codes = new Set<ProblemCode>([...edgeProblems.filter((code) => canReturn(code, route)), ...(route.problems ?? [])]);
  const statuses = new Set([...codes].map((code) => problems[code].status));
  const describeStatus = (status: number) => ({
    description: [...codes]
      .filter((code) => problems[code].status === status)
      .map((code) => `\`${code}\`: ${problems[code].title}`)
      .join('\n\n'),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  });
  return Object.fromEntries([...statuses].map((status) => [status, describeStatus(status)]));
}

function canReturn(code: ProblemCode, { method, access, params, query, body, upload, versionOf }: Route): boolean {
  if (code === 'not_authenticated') return access.to !== 'anyone';
  if (code === 'forbidden') return access.to !== 'anyone';
  if (code === 'not_found') return params !== undefined || access.to === 'permitted';
  if (code === 'invalid_input') return method !== 'GET' || query !== undefined;
  if (code === 'malformed_body' || code === 'payload_too_large' || code === 'unsupported_media_type')
    return body !== undefined || upload !== undefined || method === 'DELETE';
  if (code === 'request_timeout') return upload !== undefined;
  if (code === 'stale_version') return method === 'PUT' || method === 'DELETE' || versionOf !== undefined;
  if (code === 'idempotency_key_reused') return method !== 'GET';
  return true;
}

const problemSchema: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(problems).toSorted() },
    detail: { type: 'string' },
    requestId: { type: 'string' },
    challenge: {
      type: 'object',
      description:
        'With `challenge_required`: an ALTCHA challenge (proof of work, version 2). Find a `counter` for which PBKDF2 of `nonce` followed by the counter (4 bytes, big-endian) begins with `keyPrefix`. The challenge is valid for 5 minutes and for one order.',
      required: ['parameters', 'signature'],
      properties: {
        parameters: {
          type: 'object',
          required: ['algorithm', 'nonce', 'salt', 'cost', 'keyLength', 'keyPrefix', 'data'],
          properties: {
            algorithm: { type: 'string', enum: ['PBKDF2/SHA-256'] },
            nonce: { type: 'string', description: 'Hexadecimal' },
            salt: { type: 'string', description: 'Hexadecimal' },
            cost: { type: 'integer', description: 'Iterations' },
            keyLength: { type: 'integer', description: 'In bytes' },
            keyPrefix: { type: 'string', description: 'Hexadecimal' },
            data: { type: 'object', description: 'Event, network, level and expiry. Send it back unchanged.' },
          },
        },
        signature: { type: 'string' },
      },
    },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['in', 'field', 'code', 'message'],
        properties: {
          in: { type: 'string', enum: ['body', 'query', 'path', 'header'] },
          field: { type: 'string' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
};

const plain = (schema: TSchema): Json => JSON.parse(JSON.stringify(schema)) as Json;

/** Moves schemas with a title to the components and replaces them by references. */
function hoist(schema: TSchema, schemas: Record<string, Json>): Json {
  const walk = (node: unknown, isSchema: boolean): unknown => {
    if (Array.isArray(node)) return node.map((part) => walk(part, isSchema));
    if (typeof node !== 'object' || node === null) return node;
    // Inside `properties` the keys are field names, so `title` there is a field and not the title of a schema.
    const inner = Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, walk(value, isSchema ? key !== 'properties' : true)]),
    );
    if (!isSchema || typeof inner.title !== 'string') return inner;
    const { title, ...component } = inner as { title: string };
    const known = schemas[title];
    if (known && JSON.stringify(known) !== JSON.stringify(component)) throw new Error(`Two different schemas have the title ${title}`);
    schemas[title] = component;
    return { $ref: `#/components/schemas/${title}` };
  };
  return walk(plain(schema), true) as Json;
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

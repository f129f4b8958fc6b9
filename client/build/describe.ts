import { edgeProblems, problems } from '../../src/kernel/problem.ts';
import { groups, type Route } from '../../src/kernel/route.ts';
import { contracts } from './contracts.ts';
import { type JsonSchema, plain, TypeWriter } from './type-writer.ts';

export const operations: [name: string, route: Route][] = Object.entries(contracts);

/** The body of a DELETE is not part of the input: it is sent by the option `payload`. */
const inputBody = ({ method, body }: Route): Route['body'] => (method === 'DELETE' ? undefined : body);

/** How body and answer differ from none and JSON, see `readLine` in request.ts. */
function kindOf(route: Route): string {
  const { upload, sends, live } = route;
  const body = inputBody(route);
  if (upload) return ' ^';
  if (sends) return ' @';
  if (live) return ` ~${live.until}`;
  if (!body) return '';
  return hasFreeNames(plain(body)) ? ' *' : ' =';
}

const hasFreeNames = (schema: JsonSchema): boolean => schema.properties === undefined;

function line(route: Route): string {
  const inQuery = inputBody(route) || route.upload ? Object.keys(route.query?.properties ?? {}) : [];
  return `${route.method} ${route.group} ${route.path}${inQuery.length > 0 ? `?${inQuery.join('&')}` : ''}${kindOf(route)}`;
}

/** The text of src/operations.ts: all that the client has to know at run time. */
export function describeOperations(): string {
  return [
    "import type { Operations } from './api.ts';",
    '',
    '/**',
    ' * Written by `npm run client` from the contracts. Method, group and path; after `?` what of the input goes into the query of a',
    ' * request that has a body; then how the body is made: `=` of the other fields, `*` of the field `body`, `^` a form with a file; or',
    ' * what comes: `@` a file, `~` events until this field of what they tell is not null.',
    ' */',
    'export const operations: Record<keyof Operations, string> = {',
    ...operations.map(([name, route]) => `  ${name}: '${line(route)}',`),
    '};',
    '',
  ].join('\n');
}

/**
 * Path, query, body and file as one object. An object that is sent back as it was read has its `id` in path and body: the client puts
 * it into the path only. No other name may stand in two places.
 */
function inputOf(name: string, route: Route, types: TypeWriter): string {
  const { params, query, upload } = route;
  const body = inputBody(route);
  const inPath = Object.entries(plain(params ?? {}).properties ?? {}).map(([key, { type, description }]): [string, JsonSchema] => [
    key,
    type === 'integer' ? { type: ['integer', 'string'], ...(description && { description }) } : { type: 'string' },
  ]);
  const schema = body && withoutNames(plain(body), new Set(inPath.map(([key]) => key)));
  const free = schema && hasFreeNames(schema);
  const parts: JsonSchema[] = [
    { properties: Object.fromEntries(inPath), required: inPath.map(([key]) => key) },
    plain(query ?? {}),
    free ? { properties: { body: schema }, required: ['body'] } : (schema ?? {}),
  ];
  const keys = parts.flatMap(({ properties = {} }) => Object.keys(properties));
  const twice = keys.filter((key, i) => keys.indexOf(key) !== i);
  if (twice.length > 0) throw new Error(`${name} has ${twice.join(', ')} in two of path, query and body`);
  const file = upload ? ['file: FileContent;', 'filename?: string;'] : [];
  const members = [...parts.flatMap((part) => types.members(part)), ...file];
  return members.length === 0 ? 'Record<never, never>' : `{ ${members.join(' ')} }`;
}

function withoutNames(schema: JsonSchema, names: ReadonlySet<string>): JsonSchema {
  if (!schema.properties) return schema;
  return { ...schema, properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.has(name))) };
}

const unionOf = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(' | ');

/** The text of api.ts as the package has it: the types that src/api.ts infers, written out. */
export function describeTypes(): string {
  const types = new TypeWriter();
  const members = operations.map(([name, route]) => {
    const told = route.answer.body ? types.write(plain(route.answer.body)) : 'void';
    const answer = route.sends ? 'Response' : route.live ? `Response; told: ${told}` : told;
    const codes = unionOf(route.problems ?? []);
    return `  ${name}: { input: ${inputOf(name, route, types)}; answer: ${answer}; problem: ${codes && `${codes} | `}EdgeProblem };`;
  });
  return [
    `export type ProblemCode = ${unionOf(Object.keys(problems))};`,
    `type EdgeProblem = ${unionOf(edgeProblems)};`,
    `export type Group = ${unionOf(groups)};`,
    '/** What an upload takes: `openAsBlob` of `node:fs` makes one of a file on disk without reading it into memory. */',
    'export type FileContent = Blob | Uint8Array | string;',
    ...types.interfaces(),
    'export interface Operations {',
    ...members,
    '}',
    '',
  ].join('\n');
}

/** Puts the description of its operation above each method that has none of its own. */
export function documentMethods(methods: string): string {
  const described = new Map(operations);
  return methods.replaceAll(
    /(\*\/\n)?( +)(\w+): (op|all|live)(<[^>]+>)?\('(\w+)'\)/g,
    (text, comment, indent, _method, kind, _types, name) => {
      const route = described.get(String(name));
      if (comment || !route) return text;
      return `${indent}/** ${kind === 'all' ? 'All of it, page after page: ' : ''}${docText(route)} */\n${text}`;
    },
  );
}

function docText({ method, path, summary, description }: Route): string {
  return `${summary}.${description ? ` ${description.replaceAll(/\s+/g, ' ')}` : ''} \`${method} ${path}\``.replaceAll('*/', '*\\/');
}

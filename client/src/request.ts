import type { FileContent, Group } from './api.ts';
import type { CallOptions, OperationName, Query, QueryValue } from './call.ts';
import { operations } from './operations.ts';

export interface Request {
  operation: OperationName;
  method: string;
  group: Group;
  /** The path below the base URL, with the query string. */
  path: string;
  /** The secret of an order. It is sent in a header, because URLs are stored in logs and histories. */
  secret: string | undefined;
  body: string | FormData | undefined;
  /** Whether the caller gets the `Response` itself and reads it as it arrives. */
  streamed: boolean;
}

/** Parses a line of operations.ts, for example `POST shop! /orders/{id}/payment =`. */
function readLine(operation: OperationName) {
  const [method = '', group = '', address = '', kind = ''] = operations[operation].split(' ');
  const [template = '', inQuery] = address.split('?');
  return {
    method,
    group: group.replace('!', '') as Group,
    takesSecret: group.endsWith('!'),
    template,
    inQuery: inQuery?.split('&') ?? [],
    kind: kind.slice(0, 1),
    until: kind.slice(1),
  };
}

/** Returns the name of the field that ends an event stream: it is not null in the last event. */
export const untilOf = (operation: OperationName): string => readLine(operation).until;

type Fields = Record<string, unknown>;

/** Distributes the fields of an input over path, query and body. */
export function toRequest(operation: OperationName, input: Fields, { query, payload }: CallOptions): Request {
  const { method, group, takesSecret, template, inQuery, kind } = readLine(operation);
  const rest = { ...input };
  const { secret } = takesSecret ? take(rest, ['secret']) : {};
  const full = template.replace(/\[(.*\{(\w+)\})\]/, (_, part: string, name: string) => (rest[name] === undefined ? '' : part));
  const path = full.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const segment = pathSegment(operation, name, rest[name]);
    delete rest[name];
    return segment;
  });
  const named = ['=', '*', '^'].includes(kind) ? take(rest, inQuery) : rest;
  const text = queryText({ ...(named as Query), ...query });
  const body = bodyOf(kind, rest, payload);
  return {
    operation,
    method,
    group,
    path: path + text,
    secret: secret as string | undefined,
    body,
    streamed: kind === '@' || kind === '~',
  };
}

/** Removes the fields with these names from `fields` and returns them. */
function take(fields: Fields, names: readonly string[]): Fields {
  const taken = Object.fromEntries(names.map((name) => [name, fields[name]]));
  for (const name of names) delete fields[name];
  return taken;
}

/** Refuses an empty segment, `.` and `..`, because they would change the path of the request. */
function pathSegment(operation: string, name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || /^\.{0,2}$/.test(text)) throw new TypeError(`${operation}: ${name} is missing or not a valid id`);
  return encodeURIComponent(text);
}

function queryText(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.set(name, textOf(value));
  }
  const text = given.toString();
  return text && `?${text}`;
}

function textOf(value: NonNullable<QueryValue>): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function bodyOf(kind: string, fields: Fields, payload: object | undefined): Request['body'] {
  if (kind === '=') return JSON.stringify(fields);
  if (kind === '*') return JSON.stringify(fields.body);
  if (kind === '^') return formOf(fields as { file: FileContent; filename?: string });
  return payload && JSON.stringify(payload);
}

function formOf({ file, filename }: { file: FileContent; filename?: string }): FormData {
  const form = new FormData();
  const name = filename ?? (file instanceof Blob && 'name' in file ? String(file.name) : 'file');
  form.append('file', file instanceof Blob ? file : new Blob([typeof file === 'string' ? file : file.slice()]), name);
  return form;
}

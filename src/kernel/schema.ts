import Type, { type Static, type TProperties, type TSchema } from 'typebox';

/** Limited to safe integers, so that JavaScript clients can read ids as numbers. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [42] });

/** An amount of money in integer cents. The object that holds it also has a `currency`. */
export const Cents = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });

export const Currency = Type.String({ pattern: '^[A-Z]{3}$', examples: ['BRL'] });

/** A time that the service recorded, as RFC 3339 in UTC. */
export const Instant = Type.String({ format: 'date-time', examples: ['2026-11-15T12:00:00.000Z'] });

/** Local time in the event's time zone. */
export const WallClock = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$', examples: ['2026-11-20 10:00:00'] });

/** A time in a request: local time of the event, or RFC 3339 with an offset. */
export const Moment = Type.String({
  pattern: '^(19|2\\d)\\d\\d-\\d\\d-\\d\\d( \\d\\d:\\d\\d:\\d\\d|T\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d))$',
  examples: ['2026-11-20 10:00:00'],
});

/** A time in a filter: local time of the event, RFC 3339 with an offset, or a whole day. */
export const DayOrMoment = Type.String({
  pattern: '^(19|2\\d)\\d\\d-\\d\\d-\\d\\d( \\d\\d:\\d\\d:\\d\\d|T\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d))?$',
  examples: ['2026-11-20', '2026-11-20 10:00:00'],
});

/** The sort position in a list. Lower positions come first. */
export const Position = Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 });

export const Email = Type.String({ minLength: 3, maxLength: 254, format: 'email', examples: ['ana@example.com'] });

/**
 * One line of text that is not blank and has no control characters. Matching takes linear time for any input. The pattern names the control
 * characters by range, because \p{Cc} needs a flag that many validators do not set.
 */
export const line = (maxLength: number, example?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^(?=\\s*\\S)[^\\x00-\\x1f\\x7f-\\x9f]*$', ...(example && { examples: [example] }) });

/** Plain text with line breaks that is not blank and has no other control characters. It is not HTML: whoever shows it escapes it. */
export const paragraphs = (maxLength: number, example?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^(?=\\s*\\S)[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
    ...(example && { examples: [example] }),
  });

/** A part of a URL, such as `noite-de-samba`. The pattern takes linear time for any input. */
export const slug = { minLength: 1, maxLength: 100, pattern: '^(?!\\d+$)[a-z0-9]+(-[a-z0-9]+)*$', examples: ['noite-de-samba'] };

/**
 * The URL of a page on another site. Only HTTPS, and without a user name: in `https://instagram.com@evil.example/` readers would see the
 * wrong host.
 */
export const httpsAddress = Type.String({
  maxLength: 500,
  pattern: '^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][^\\s<>"]*)?$',
  examples: ['https://www.instagram.com/auroraproducoes'],
});

/** Makes all fields optional. */
export function optional<P extends TProperties>(properties: P) {
  return Type.Partial(Type.Object(properties)).properties;
}

/** An object without additional fields, so that a misspelled field is an error and not ignored. */
export const closed = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string; minProperties?: number } = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

/** An object that the API reference lists as a component with this name. */
export const named = <P extends TProperties>(title: string, properties: P) => closed(properties, { title });

/** Uses `type: [T, 'null']`, because Ajv checks this form three times faster than `anyOf`. */
export function nullable<S extends TSchema>(schema: S) {
  const plain = JSON.parse(JSON.stringify(schema)) as { type: string; enum?: unknown[] };
  if (plain.enum) plain.enum = [...plain.enum, null];
  return Type.Unsafe<Static<S> | null>({ ...plain, type: [plain.type, 'null'] });
}

export const oneOf = <const V extends readonly string[]>(values: V, options: { description?: string } = {}) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });

/** The query parameters of every list. */
export const pageQuery = {
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 25 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
  count: Type.Optional(Type.Boolean()),
} as const;

export const PageQuery = Type.Object(pageQuery);
export type PageQuery = Static<typeof PageQuery>;

/** The response body of every list. */
export const pageOf = <S extends TSchema>(item: S) =>
  closed({ data: Type.Array(item), nextCursor: nullable(Type.String()), total: Type.Optional(Type.Integer({ minimum: 0 })) });

export interface Page<T> {
  data: T[];
  nextCursor: string | null;
  total?: number;
}

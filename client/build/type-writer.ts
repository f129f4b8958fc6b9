import type { TSchema } from 'typebox';

/** The keywords of JSON Schema that the contracts use and that matter for types. */
export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
}

export const plain = (schema: TSchema): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

/** Translates JSON Schema to TypeScript. A schema with a title becomes an interface of that name. */
export class TypeWriter {
  readonly #named = new Map<string, string>();

  write(schema: JsonSchema): string {
    if (schema.enum) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.anyOf) return unionOf(schema.anyOf.map((part) => this.write(part)));
    return unionOf([schema.type ?? 'unknown'].flat().map((type) => this.#writeOne(type, schema)));
  }

  /** Returns one text per property, with its description as a comment. */
  members({ properties = {}, required = [] }: JsonSchema): string[] {
    return Object.entries(properties).map(([name, schema]) => {
      const comment = schema.description ? `/** ${schema.description.replaceAll('*/', '*\\/')} */ ` : '';
      return `${comment}${name}${required.includes(name) ? '' : '?'}: ${this.write(schema)};`;
    });
  }

  interfaces(): string[] {
    return [...this.#named].map(([name, body]) => `export interface ${name} ${body}`);
  }

  #writeOne(type: string, schema: JsonSchema): string {
    if (type === 'integer') return 'number';
    if (type === 'array') return `(${this.write(schema.items ?? {})})[]`;
    if (type === 'object') return this.#writeObject(schema);
    return type;
  }

  #writeObject(schema: JsonSchema): string {
    const { title, properties, additionalProperties } = schema;
    if (!properties) return `Record<string, ${typeof additionalProperties === 'object' ? this.write(additionalProperties) : 'unknown'}>`;
    const body = `{ ${this.members(schema).join(' ')} }`;
    if (title === undefined) return body;
    const known = this.#named.get(title);
    if (known !== undefined && known !== body) throw new Error(`Two different schemas have the title ${title}`);
    this.#named.set(title, body);
    return title;
  }
}

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(' | ');

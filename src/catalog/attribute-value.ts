import type { attributeTypes } from './contract.ts';

export type AttributeType = (typeof attributeTypes)[number];
export type AttributeValue = string | number | boolean;

/** Keys that the service itself acts on, and what they must hold. Any other key is the producer's own. */
const meanings: Record<string, { type: AttributeType; least?: number }> = {
  minimum: { type: 'integer', least: 1 },
  maximum: { type: 'integer', least: 1 },
  maximumPerBuyer: { type: 'integer', least: 1 },
  halfPrice: { type: 'boolean' },
  customCode: { type: 'boolean' },
};

/** The value in its type, or null when it neither is of that type nor can be read as it. */
export function readValue(value: AttributeValue, type: AttributeType): AttributeValue | null {
  return readers[type](String(value));
}

const readers: Record<AttributeType, (text: string) => AttributeValue | null> = {
  string: (text) => text,
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : null),
  decimal: (text) => (/^-?\d{1,15}(\.\d{1,10})?$/.test(text) ? Number(text) : null),
  boolean: (text) => (/^(true|false)$/.test(text) ? text === 'true' : null),
  datetime: (text) => (isDateTime(text) ? text : null),
};

/** What is wrong with this key holding this value; null when nothing is. */
export function refuseMeaning(key: string, type: AttributeType, value: AttributeValue): string | null {
  const meaning = Object.hasOwn(meanings, key) ? meanings[key] : undefined;
  if (!meaning) return null;
  if (meaning.type !== type) return `${key} must be of type ${meaning.type}`;
  if (meaning.least !== undefined && Number(value) < meaning.least) return `${key} must be at least ${meaning.least}`;
  return null;
}

/** `YYYY-MM-DD HH:MM:SS` on the wall, or RFC 3339. */
function isDateTime(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (!match) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
}

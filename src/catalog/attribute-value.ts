import { ruleViolation } from '../kernel/problem.ts';
import type { attributeTypes } from './item-schemas.ts';

export type AttributeType = (typeof attributeTypes)[number];
export type AttributeValue = string | number | boolean;

/** Keys that the service itself uses. Producers define all other keys. */
const reservedKeys: Record<string, { type: AttributeType; minimum?: number }> = {
  minimum: { type: 'integer', minimum: 1 },
  maximum: { type: 'integer', minimum: 1 },
  maximumPerBuyer: { type: 'integer', minimum: 1 },
  halfPrice: { type: 'boolean' },
  customCode: { type: 'boolean' },
};

/** Returns the value converted to its type, or null if it cannot be converted. */
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

/** Throws 422 if a key that the service uses has the wrong type or a value that is too small. */
export function requireValidReservedKey(key: string, type: AttributeType, value: AttributeValue): void {
  const rule = Object.hasOwn(reservedKeys, key) ? reservedKeys[key] : undefined;
  if (!rule) return;
  if (rule.type !== type) throw ruleViolation('type', 'meaning', `${key} must be of type ${rule.type}`);
  if (rule.minimum !== undefined && Number(value) < rule.minimum) {
    throw ruleViolation('value', 'meaning', `${key} must be at least ${rule.minimum}`);
  }
}

/** Whether the text is a time, as `YYYY-MM-DD HH:MM:SS` or in RFC 3339. */
function isDateTime(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (!match) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
}

import { describe, expect, it } from 'vitest';
import { DecryptionError, Secrets } from './secrets.ts';

const secrets = new Secrets('the first secret key of this test');
const other = new Secrets('the other secret key of this test');
const plain = Buffer.from('a private key');

describe('a sealed secret', () => {
  it('can be opened with the same SECRET_KEY and row, and sealing the same secret twice gives different values', () => {
    const [one, two] = [secrets.seal(plain, 'table 1'), secrets.seal(plain, 'table 1')];
    expect([secrets.open(one, 'table 1'), secrets.open(two, 'table 1')]).toEqual([plain, plain]);
    expect(one).not.toEqual(two);
    expect(one.includes(plain)).toBe(false);
  });

  it('cannot be opened with another SECRET_KEY or another row', () => {
    const sealed = secrets.seal(plain, 'table 1');
    expect(() => other.open(sealed, 'table 1')).toThrow(DecryptionError);
    expect(() => secrets.open(sealed, 'table 2')).toThrow(DecryptionError);
  });

  it('cannot be opened when a byte is changed or missing', () => {
    const sealed = secrets.seal(plain, 'table 1');
    for (const [i, byte] of sealed.entries()) {
      const changed = Buffer.from(sealed);
      changed[i] = byte ^ 1;
      expect(() => secrets.open(changed, 'table 1')).toThrow(DecryptionError);
      expect(() => secrets.open(sealed.subarray(0, i), 'table 1')).toThrow(DecryptionError);
    }
  });

  it('can be opened with the previous SECRET_KEY, and sealed again with the current key', () => {
    const both = new Secrets('the other secret key of this test', ['the first secret key of this test']);
    const opened = both.open(secrets.seal(plain, 'table 1'), 'table 1');
    expect(other.open(both.seal(opened, 'table 1'), 'table 1')).toEqual(plain);
  });
});

describe('a derived key', () => {
  it('depends on SECRET_KEY, purpose and salt, and is the same each time', () => {
    const keys = [
      secrets.deriveKey('links'),
      secrets.deriveKey('challenges'),
      secrets.deriveKey('links', Buffer.from('salt')),
      other.deriveKey('links'),
    ].map((key) => key.toString('hex'));
    expect(new Set(keys).size).toBe(4);
    expect(secrets.deriveKey('links').toString('hex')).toBe(keys[0]);
    expect(secrets.deriveKey('links')).toHaveLength(32);
  });
});

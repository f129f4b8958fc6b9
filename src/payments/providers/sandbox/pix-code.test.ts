import { describe, expect, it } from 'vitest';
import { crc16, pixCodeOf } from './pix-code.ts';

describe('pixCodeOf', () => {
  it('returns a PIX code that ends with its checksum', () => {
    // The published check value of CRC-16/CCITT-FALSE.
    expect(crc16('123456789')).toBe(0x29b1);
    const code = pixCodeOf({ reference: 'ABC', amount: 105 });
    expect(code).toBe(
      `00020126450014br.gov.bcb.pix0123sandbox@tessera.example52040000530398654041.055802BR5915TESSERA SANDBOX6009SAO PAULO62070503ABC6304${code.slice(-4)}`,
    );
    expect(parseInt(code.slice(-4), 16)).toBe(crc16(code.slice(0, -4)));
  });
});

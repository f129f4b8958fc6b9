/**
 * The PIX "copia e cola" text that a buyer pastes into a banking app. The format is EMV merchant-presented QR: each field has a number, a
 * length and a value. The last field is a checksum of the text before it.
 */
export function pixCodeOf({ reference, amount }: { reference: string; amount: number }): string {
  const fields: [string, string][] = [
    ['00', '01'],
    ['26', field('00', 'br.gov.bcb.pix') + field('01', 'sandbox@tessera.example')],
    ['52', '0000'],
    ['53', '986'],
    ['54', `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`],
    ['58', 'BR'],
    ['59', 'TESSERA SANDBOX'],
    ['60', 'SAO PAULO'],
    ['62', field('05', reference)],
  ];
  const text = `${fields.map(([number, value]) => field(number, value)).join('')}6304`;
  return text + crc16(text).toString(16).toUpperCase().padStart(4, '0');
}

const field = (number: string, value: string): string => number + String(value.length).padStart(2, '0') + value;

/** Computes the checksum CRC-16/CCITT-FALSE. */
export function crc16(text: string): number {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  key: string;
  cert: string;
}

/** Makes a self-signed certificate for localhost (X.509 in DER). Node has no function that makes certificates. */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = tbs(publicKey);
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, ecdsaWithSha256, bitString(signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function tbs(publicKey: KeyObject): Buffer {
  const version = tagged(0xa0, tagged(0x02, Buffer.from([2])));
  const serial = tagged(0x02, Buffer.from([1]));
  const name = sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from('localhost')))));
  const validity = sequence(utcTime('200101000000Z'), utcTime('491231235959Z'));
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return sequence(version, serial, ecdsaWithSha256, name, validity, name, spki, tagged(0xa3, sequence(altNames())));
}

/** The subject alternative names: the host name and the IP address. */
function altNames(): Buffer {
  const names = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  return sequence(oid(0x55, 0x1d, 0x11), tagged(0x04, names));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const oid = (...bytes: number[]): Buffer => tagged(0x06, Buffer.from(bytes));
const bitString = (bytes: Buffer): Buffer => tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]));
const utcTime = (text: string): Buffer => tagged(0x17, Buffer.from(text));
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';
import { checkUrl } from './webhook.ts';

describe('isPublicAddress', () => {
  it.each(['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
    ['link-local', '169.254.169.254', 'fe80::1'],
    ['CGNAT', '100.64.0.1', '100.127.255.255'],
    ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a00:1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::a00:1', '64:ff9b:1::a00:1'],
    ['6to4 and Teredo', '2002:a00:1::', '2001:0:1::1'],
    [
      'other special',
      '0.0.0.0',
      '255.255.255.255',
      '224.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '240.0.0.1',
      'ff02::1',
      '::',
      '100::1',
      'fec0::1',
    ],
    ['no', '', 'localhost', '1', '2130706433', '0x7f.1'],
  ])('refuses %s addresses', (_, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe('the URL of a webhook', () => {
  it.each([
    'http://hooks.example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://db/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://user:password@hooks.example.com/',
    'https://',
  ])('must not be %s', (url) => {
    expect(() => checkUrl(url, false)).toThrow(/URL|public internet/);
  });

  it('loses its fragment', () => {
    expect(checkUrl('https://hooks.example.com/a?b=c#d', false)).toBe('https://hooks.example.com/a?b=c');
  });
});

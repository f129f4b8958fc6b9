import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parse('2000::');

/**
 * Whether an address is on the public internet. Private, loopback, link-local and shared (CGNAT) addresses are not, nor are addresses that
 * stand for an IPv4 address: IPv4-mapped, NAT64, 6to4 and Teredo. The list of ranges is that of `ipaddr.js`; only what is in no special range
 * is allowed.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  // Outside 2000::/3 no IPv6 addresses are assigned. For example, NAT64 may use 64:ff9b:1::/48.
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast, 3);
}

/**
 * The key that rate limits are counted by. One customer usually gets a whole IPv6 /64 network, so all its addresses share a limit.
 * Each IPv4 address has its own limit, even when it is written as an IPv6 address (`::ffff:192.0.2.1`).
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = '', tail] = address.split('::');
  const groups = (part = ''): string[] => part.split(':').filter((group) => group !== '');
  const left = groups(head);
  const missing = tail === undefined ? 0 : 8 - left.length - groups(tail).length;
  const whole = [...left, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...groups(tail)];
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

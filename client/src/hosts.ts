import type { Group } from './api.ts';

export const environments = ['production', 'stg', 'hmla', 'hmlb', 'sandbox', 'integration', 'local'] as const;
export type Environment = (typeof environments)[number];

/**
 * The base URLs of the service, in one of three forms. `{ domain }` means `https://{environment}-{group}.{domain}/v1`, without
 * `{environment}-` in production. A string is one base URL for all groups. An object has one base URL per group, and `default` for the
 * groups that it does not name.
 */
export type Hosts = string | { domain: string } | Partial<Record<Group | 'default', string>>;

const localAddress = 'http://127.0.0.1:3000/v1';

/** Returns a function that maps a group to its base URL. */
export function baseAddress(environment: Environment, hosts: Hosts | undefined): (group: Group) => string {
  if (!environments.includes(environment)) throw new TypeError(`environment must be one of ${environments.join(', ')}`);
  if (hosts === undefined && environment !== 'local') throw new TypeError(`hosts is required for the environment ${environment}`);
  const find = (group: Group): string | undefined => {
    if (typeof hosts !== 'object') return hosts ?? localAddress;
    if ('domain' in hosts) return `https://${environment === 'production' ? '' : `${environment}-`}${group}.${hosts.domain}/v1`;
    return hosts[group] ?? hosts.default;
  };
  return (group) => {
    const found = find(group);
    if (!found) throw new TypeError(`hosts has no base URL for the group ${group}, and no default`);
    return found.replace(/\/+$/, '');
  };
}

import type { Group } from './api.ts';

export const environments = ['production', 'stg', 'hmla', 'hmlb', 'sandbox', 'integration', 'local'] as const;
export type Environment = (typeof environments)[number];

/**
 * Where the service is: `{ domain }` for `https://{environment}-{group}.{domain}/v1`, in production without the environment; one base
 * address for everything; or one for each group, with `default` for those that are not named.
 */
export type Hosts = string | { domain: string } | Partial<Record<Group | 'default', string>>;

const localAddress = 'http://127.0.0.1:3000/v1';

/** Answers the base address of a group. */
export function baseAddress(environment: Environment, hosts: Hosts | undefined): (group: Group) => string {
  if (!environments.includes(environment)) throw new TypeError(`environment is one of ${environments.join(', ')}`);
  if (hosts === undefined && environment !== 'local') throw new TypeError(`hosts is needed: where is ${environment}?`);
  const find = (group: Group): string | undefined => {
    if (typeof hosts !== 'object') return hosts ?? localAddress;
    if ('domain' in hosts) return `https://${environment === 'production' ? '' : `${environment}-`}${group}.${hosts.domain}/v1`;
    return hosts[group] ?? hosts.default;
  };
  return (group) => {
    const found = find(group);
    if (!found) throw new TypeError(`hosts has no address for the group ${group}, and no default`);
    return found.replace(/\/+$/, '');
  };
}

/** Each route names the permission it needs. `role-permissions.ts` lists the permissions of each role. */
export const permissions = [
  'producer.read',
  'producer.manage',
  'members.read',
  'members.manage',
  'event.read',
  'event.manage',
  'crew.read',
  'crew.manage',
  'item.read',
  'item.manage',
  'passkey.read',
  'passkey.manage',
  'order.read',
  'order.sell',
  'order.refund',
  'code.read',
  'code.manage',
  'checkin.read',
  'checkin.make',
  'device.manage',
  'guest.read',
  'guest.search',
  'report.read',
  'export.request',
  'webhook.manage',
] as const;

export type Permission = (typeof permissions)[number];

export const producerRoles = ['owner', 'manager'] as const;
export type ProducerRole = (typeof producerRoles)[number];

export const crewRoles = ['admin', 'sales_manager', 'sales_operator', 'entrance_manager', 'entrance_operator'] as const;
export type CrewRole = (typeof crewRoles)[number];

/** The kinds of object that a permission is checked on. */
export type ScopeKind = 'producer' | 'event' | 'item' | 'passkey' | 'order' | 'export';

/** Where the request holds the id of the object that the permission is checked on. */
export interface ScopeSource {
  kind: ScopeKind;
  in: 'path' | 'query' | 'body';
  field: string;
}

/**
 * Who may call a route: anyone, any signed-in user, platform admins, or users with `permission` on every object in `on` that the request
 * names. `as: 'user'` excludes API tokens. `tokenIgnored` is for routes that callers use when their token has expired, such as login.
 * `orDevice` also admits devices of the event that the request names.
 * `orSecret` also admits callers that send the credential of the order (`orderAccess`); the handler checks the credential. `orCookie` also
 * admits browsers that send the cookie of the route instead of a token; the handler checks the cookie.
 */
export type Access =
  | { to: 'anyone'; tokenIgnored?: true }
  | { to: 'signedIn'; as?: 'user'; orCookie?: true }
  | { to: 'admin' }
  | { to: 'permitted'; permission: Permission; on: readonly ScopeSource[]; orSecret?: true; orDevice?: true };

export const anyone = { to: 'anyone' } as const;
export const anyoneIgnoringToken = { to: 'anyone', tokenIgnored: true } as const;
export const signedIn = { to: 'signedIn' } as const;
export const signedInUser = { to: 'signedIn', as: 'user' } as const;
export const signedInUserOrCookie = { to: 'signedIn', as: 'user', orCookie: true } as const;
export const admin = { to: 'admin' } as const;

type Place = `${ScopeSource['in']}.${string}`;

/** Example: `permitted('item.read', { item: 'path.id' })`. */
export function permitted<const P extends Permission>(permission: P, where: Partial<Record<ScopeKind, Place>>) {
  const on = Object.entries(where).map(([kind, place]): ScopeSource => {
    const [part, field] = place.split('.') as [ScopeSource['in'], string];
    return { kind: kind as ScopeKind, in: part, field };
  });
  return { to: 'permitted', permission, on } as const;
}

/** Also admits callers without the permission if they send the object's secret. */
export const orSecret = <const A extends Extract<Access, { to: 'permitted' }>>(access: A) => ({ ...access, orSecret: true }) as const;

/** Also admits devices at the door, if the request names their event. */
export const orDevice = <const A extends Extract<Access, { to: 'permitted' }>>(access: A) => ({ ...access, orDevice: true }) as const;

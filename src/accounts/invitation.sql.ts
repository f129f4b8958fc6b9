import { type RawBuilder, sql } from 'kysely';
import type { Invitation } from './invitation.ts';

/**
 * The columns of a membership `m` as callers see it. Until invited people log in, these are the e-mail and name that the inviter typed,
 * and the id of the invitation. `m` is `producer_member` or `event_crew`.
 */
export const shownPerson = sql`
  case when i.invited then m.invitation else u.id end as id,
  case when i.invited then m.invited_name else u.name end as name,
  case when i.invited then m.invited_email else u.email end as email,
  i.invited`;

export const joinShownPerson = sql`
  join app_user u on u.id = m.user_id
 cross join lateral (select m.invitation is not null and coalesce(u.last_login_at <= m.created_at, true) as invited) i`;

/** The id of an invitation stays valid after the person has logged in. */
export const hasShownId = (id: number): RawBuilder<boolean> =>
  sql<boolean>`(m.invitation = ${id} or (m.user_id = ${id} and not i.invited))`;

export const invitationColumns = (invitation: Invitation | null) =>
  invitation && {
    invitation: sql<number>`nextval('invitation_number')`,
    invited_email: invitation.email,
    invited_name: invitation.name,
  };

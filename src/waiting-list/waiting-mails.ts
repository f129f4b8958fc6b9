import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { createLink } from '../orders/order-links.ts';
import { addressLimit, type MailLimit, networkLimit } from '../platform/mail/mail-limits.ts';
import { type NewMail, queueLimitedMails, queueMails, requireWithinLimit } from '../platform/mail/outbox.ts';
import type { Renderer } from '../platform/mail/send-mail.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { selectEntry } from './entries.sql.ts';
import { createEntryLink, isConfirmationOver, statusAt } from './entry.ts';
import { selectListSettings } from './settings.sql.ts';
import { confirmationLetter, inLineLetter, offerLetter } from './waiting-mail-texts.ts';

/** Mails to one address per hour, mails to one address per event and day, and mails per day that requests of one network cause. */
const maxToAddress = 5;
const maxToAddressOfEvent = 10;
const maxFromNetwork = 200;
/** How often clients of one network can join the list of one event in an hour. */
const maxJoinsFromNetwork = 60;

/** Throws `rate_limited` if too many clients of the same network have joined. The limit is for a network, so the response does not show who is on the list. */
export async function requireFewJoins(tx: Tx, { address, at }: Act, eventId: number): Promise<void> {
  if (address === null) return;
  const limit = networkLimit(address, maxJoinsFromNetwork, at, 'hour');
  const detail = 'Too many people have joined this waiting list from your network in this hour. Try again later.';
  await requireWithinLimit(tx, { ...limit, scope: `waiting list of event ${eventId} ${limit.scope}` }, at, detail);
}

/** The counts are separate from those of other mails. Otherwise somebody could keep an address from getting its tickets. */
function limitsOf(email: string, eventId: number, { address, at }: Act): MailLimit[] {
  const limits = [addressLimit(email, maxToAddress, at), ...(address === null ? [] : [networkLimit(address, maxFromNetwork, at)])];
  const ofEvent = addressLimit(email, maxToAddressOfEvent, at, 'day');
  return [
    ...limits.map((limit) => ({ ...limit, scope: `waiting list ${limit.scope}` })),
    { ...ofEvent, scope: `waiting list of event ${eventId} ${ofEvent.scope}` },
  ];
}

/** The link, the address and the state of the entry are read when the mail is sent. A second request in the same hour queues no second mail. */
export function queueConfirmation(
  act: Act,
  { eventId, id, email, locale }: { eventId: number; id: number; email: string; locale: Locale },
): Statement[] {
  const hour = act.at.toISOString().slice(0, 13);
  const mail: NewMail = {
    kind: 'waiting_list_joined',
    eventId,
    recipient: null,
    locale,
    payload: { eventId, entryId: id },
    dedupeKey: `waiting-list/${id}/joined/${hour}`,
    at: act.at,
  };
  return queueLimitedMails([{ mail, limits: limitsOf(email, eventId, act) }]);
}

export const queueOffers = (eventId: number, entries: readonly { id: number; locale: Locale }[], at: Date): Statement[] =>
  queueMails(
    entries.map(({ id, locale }) => ({
      kind: 'waiting_list_offer',
      eventId,
      recipient: null,
      locale,
      payload: { eventId, entryId: id },
      dedupeKey: `waiting-list/${id}/offer`,
      at,
    })),
  );

async function linkTo(tx: Tx, publicUrl: string, locale: Locale, eventId: number, id: number): Promise<string> {
  return `${publicUrl}/${locale}/waiting-list/${eventId}?token=${await createEntryLink(tx, { eventId, id })}`;
}

/** Somebody who is in line already gets the link to the entry. */
export const renderJoined =
  (publicUrl: string): Renderer<'waiting_list_joined'> =>
  async (tx, { payload: { eventId, entryId: id }, locale, at }) => {
    const entry = await selectEntry(tx, { eventId, id });
    if (!entry?.email || isConfirmationOver(entry, at) || !['unconfirmed', 'waiting', 'offered'].includes(statusAt(entry, at))) return null;
    const { title } = await selectListSettings(tx, eventId);
    const facts = { event: title, item: entry.item_name, quantity: entry.quantity, link: await linkTo(tx, publicUrl, locale, eventId, id) };
    const letter = entry.status === 'unconfirmed' ? confirmationLetter(locale, facts) : inLineLetter(locale, facts);
    return { to: { name: '', address: entry.email }, letter };
  };

/** The mail links to the page of the order. An offer that has ended in the meantime is not sent. */
export const renderOffer =
  (publicUrl: string): Renderer<'waiting_list_offer'> =>
  async (tx, { payload: { eventId, entryId: id }, locale, at }) => {
    const entry = await selectEntry(tx, { eventId, id });
    if (!entry?.email || entry.order_id === null || entry.order_expires_at === null || statusAt(entry, at) !== 'offered') return null;
    const { title, timezone } = await selectListSettings(tx, eventId);
    const token = await createLink(tx, { eventId, id: entry.order_id }, at);
    const letter = offerLetter(locale, {
      event: title,
      item: entry.item_name,
      quantity: entry.quantity,
      link: `${publicUrl}/${locale}/orders/${entry.order_id}?token=${token}`,
      leave: await linkTo(tx, publicUrl, locale, eventId, id),
      expiresAt: entry.order_expires_at,
      timeZone: timezone,
    });
    return { to: { name: '', address: entry.email }, letter };
  };

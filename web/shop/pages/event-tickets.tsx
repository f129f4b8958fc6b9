import type { EventPage } from '../../../src/web/contract.ts';
import { fill } from '../../messages/fill.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { date } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { href, withQuery } from '../page.ts';
import { hasTickets, LiveTickets, SessionPicker } from '../sale.tsx';
import type { EventProps } from './event.tsx';
import { JoinWaitingList } from './waiting-form.tsx';

/** The sessions, the tickets and the access code. */
export function EventTickets({ frame, t, page }: EventProps) {
  const { choice, choosesSession, code } = page;
  // A rejected code stands above the tickets, where the page opens.
  const isRejected = code.state !== 'none' && code.state !== 'accepted';
  return (
    <section class="tickets" id="tickets" aria-labelledby="tickets-title">
      <h2 id="tickets-title">{t.sale.title}</h2>
      {choosesSession && (
        <SessionPicker
          frame={frame}
          t={t}
          sessions={page.sessions}
          chosenId={choice.sessionId}
          addressOf={({ id }) =>
            `${withQuery(href(frame, `/event/${page.link}`), { session: id, passkey: choice.passkey, preview: page.preview })}#tickets`
          }
        />
      )}
      {page.queue && <QueuePanel frame={frame} t={t} page={page} queue={page.queue} />}
      {isRejected && <CodeForm frame={frame} t={t} page={page} />}
      {code.state === 'accepted' && <Notice tone="ok" title={t.code.accepted} alert />}
      {!hasTickets(choice) ? (
        <EmptyState icon={icons.ticket} title={t.sale.none} text={t.sale.noneText} />
      ) : (
        <LiveTickets frame={frame} t={t} choice={choice} hasWaitingList={page.waiting !== null} />
      )}
      {page.waiting && <JoinWaitingList frame={frame} t={t} eventId={page.id} form={page.waiting} isOpen={!canOrder(page)} />}
      {!isRejected && <CodeForm frame={frame} t={t} page={page} />}
    </section>
  );
}

const canOrder = ({ choice }: EventProps['page']): boolean =>
  choice.groups.some(({ tickets }) => tickets.some(({ status }) => status === 'available'));

/** Visitors without an admission see the tickets, and go to the waiting room to order them. */
function QueuePanel({ frame, t, page, queue }: EventProps & { queue: NonNullable<EventPage['queue']> }) {
  if (queue.isAdmitted) {
    return (
      <Notice tone="ok" title={t.queue.yourTurnNow}>
        <p>{t.queue.chooseNow}</p>
      </Notice>
    );
  }
  const text =
    queue.state === 'before' ? fill(t.queue.panelBefore, { date: date(queue.opensAt, 'moment', frame.locale) }) : t.queue.panelOpen;
  return (
    <div class="event-queue">
      <Notice tone="warn" title={t.queue.panel}>
        <p>{text}</p>
      </Notice>
      <a class="button" href={href(frame, `/event/${page.link}/queue`)}>
        {t.queue.enter} <Icon path={icons.arrow} size={18} />
      </a>
    </div>
  );
}

/** A plain form that loads the page with the code in its address. */
function CodeForm({ frame, t, page }: EventProps) {
  const { code, choice } = page;
  const error = code.state === 'none' || code.state === 'accepted' ? null : fill(t.code[code.state], { minutes: code.minutes });
  return (
    <details class="code" open={error !== null}>
      <summary>
        <Icon path={icons.key} /> {t.code.have}
      </summary>
      <form class="code-form" action={`${href(frame, `/event/${page.link}`)}#tickets`}>
        {choice.sessionId !== null && <input type="hidden" name="session" value={choice.sessionId} />}
        {page.preview !== null && <input type="hidden" name="preview" value={page.preview} />}
        <TextField
          id="passkey"
          name="passkey"
          label={t.code.label}
          value={code.text}
          maxLength={200}
          required
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          error={error}
        />
        <button class="button secondary" type="submit">
          {t.code.apply}
        </button>
      </form>
    </details>
  );
}

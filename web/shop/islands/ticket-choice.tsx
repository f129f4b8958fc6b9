import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TicketGroup } from '../../../src/storefront/contract.ts';
import type { Refusal, TicketChoice } from '../../../src/web/contract.ts';
import type { Messages } from '../../messages/catalogues.ts';
import { fill } from '../../messages/fill.ts';
import { Notice } from '../../ui/notice.tsx';
import { type Chosen, clampChosen, priceRange, sumOf, unlockedFirst } from './choice-rules.ts';
import { useLiveTickets } from './live-tickets.ts';
import { statusText, TicketRow } from './ticket-row.tsx';
import { TotalBar } from './total-bar.tsx';

/** The data of the island. It is embedded in the page, together with the messages that the island needs. */
export interface TicketChoiceProps {
  choice: TicketChoice;
  tickets: Messages['tickets'];
  refusal: Messages['refusal'];
}

/**
 * The form in which buyers choose tickets. The server renders it, and the browser makes it live. Without JavaScript it is a plain form: the
 * fields have names, and the server checks what it gets.
 */
export function TicketChoiceForm({ choice, tickets: t, refusal: refusals }: TicketChoiceProps) {
  const form = useRef<HTMLFormElement>(null);
  const [chosen, setChosen] = useState<Chosen>(choice.chosen);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const [news, setNews] = useState('');
  const keepFocus = useKeptFocus(form);
  const groups = useLiveTickets(choice, (next) => {
    keepFocus();
    setNews(newsOf(next, chosen, t, choice.locale));
    setChosen((before) => clampChosen(before, next, choice.maximumPerOrder));
  });
  const sum = sumOf(chosen, groups);
  useEffect(() => {
    // Tests wait for this mark.
    if (form.current) form.current.dataset.live = 'true';
  }, []);
  useSolvedChallenge(choice.refusal, form);
  useReturn(() => setSending(false));

  function submit(event: SubmitEvent): void {
    const fault =
      sum.count === 0 ? t.nothingChosen : sum.count > choice.maximumPerOrder ? fill(t.tooMany, { count: choice.maximumPerOrder }) : null;
    if (fault !== null || isSending) event.preventDefault();
    setProblem(fault);
    if (fault !== null) form.current?.querySelector<HTMLInputElement>('.stepper input')?.focus();
    else setSending(true);
  }

  return (
    <form ref={form} class="choice" method="post" action={`/${choice.locale}/event/${choice.eventId}/orders`} noValidate onSubmit={submit}>
      <input type="hidden" name="eventId" value={choice.eventId} />
      {choice.sessionId !== null && <input type="hidden" name="sessionId" value={choice.sessionId} />}
      {choice.passkey !== null && <input type="hidden" name="passkey" value={choice.passkey} />}
      {choice.refusal && <RefusalNotice refusal={choice.refusal} t={refusals} tickets={t} maximum={choice.maximumPerOrder} />}
      {unlockedFirst(groups).map((group) => (
        <Group
          key={group.id ?? 0}
          group={group}
          choice={choice}
          t={t}
          chosen={chosen}
          onChange={(id, quantity) => {
            setProblem(null);
            setChosen((before) => ({ ...before, [id]: quantity }));
          }}
        />
      ))}
      <p class="visually-hidden" role="status">
        {news}
      </p>
      <TotalBar choice={choice} t={t} sum={sum} prices={priceRange(groups)} problem={problem} isSending={isSending} />
    </form>
  );
}

interface GroupProps {
  group: TicketGroup;
  choice: TicketChoice;
  t: Messages['tickets'];
  chosen: Chosen;
  onChange: (id: number, quantity: number) => void;
}

const Group = ({ group, choice, t, chosen, onChange }: GroupProps) => (
  <section class="ticket-group" {...(group.name && { 'aria-labelledby': `group-${group.id}` })}>
    {group.name && (
      <h3 id={`group-${group.id}`} class="ticket-group-name">
        {group.name}
      </h3>
    )}
    {group.description && <p class="soft small">{group.description}</p>}
    <ul class="ticket-list">
      {group.tickets.map((ticket) => (
        <TicketRow
          key={ticket.id}
          ticket={ticket}
          choice={choice}
          t={t}
          quantity={chosen[ticket.id] ?? 0}
          onChange={(quantity) => onChange(ticket.id, quantity)}
        />
      ))}
    </ul>
  </section>
);

interface RefusalNoticeProps {
  refusal: Refusal;
  t: Messages['refusal'];
  tickets: Messages['tickets'];
  maximum: number;
}

function RefusalNotice({ refusal: { reason, lines }, t, tickets, maximum }: RefusalNoticeProps) {
  if (reason === 'challenge') {
    return (
      <>
        <Notice tone="warn" title={t.challenge} alert />
        <noscript>
          <Notice tone="bad" title={t.challengeNoScript} />
        </noscript>
      </>
    );
  }
  const titles: Record<Exclude<Refusal['reason'], 'challenge'>, string> = {
    sold_out: t.soldout,
    not_on_sale: t.notOnSale,
    rule: t.rule,
    session: t.session,
    empty: tickets.nothingChosen,
    too_many: fill(tickets.tooMany, { count: maximum }),
    busy: t.busy,
    other: t.other,
  };
  return (
    <Notice tone="bad" title={titles[reason]} alert>
      {lines.length > 0 && (
        <ul class="plain-list">
          {lines.map(({ name, remaining }) => (
            <li key={name}>{fill(remaining > 0 ? t.soldoutLine : t.soldoutNone, { name, remaining })}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

/** What a screen reader should say about a change: chosen tickets that are no longer on sale. */
function newsOf(next: readonly TicketGroup[], chosen: Chosen, t: Messages['tickets'], locale: string): string {
  const lost = next.flatMap(({ tickets }) => tickets).filter(({ id, status }) => (chosen[id] ?? 0) > 0 && status !== 'available');
  return lost.map((ticket) => fill(t.changed, { name: ticket.name, status: statusText(ticket, t, locale) })).join('. ');
}

/** When the focused field of a row disappears, because the item is sold out, the row itself gets the focus. */
function useKeptFocus(form: { current: HTMLFormElement | null }): () => void {
  const item = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (item.current !== undefined && document.activeElement === document.body) {
      form.current?.querySelector<HTMLElement>(`[data-item="${item.current}"]`)?.focus();
    }
    item.current = undefined;
  });
  return () => {
    item.current = document.activeElement?.closest<HTMLElement>('[data-item]')?.dataset.item;
  };
}

/** Solves the challenge of a refused order and sends the order again. */
function useSolvedChallenge(refusal: Refusal | null, form: { current: HTMLFormElement | null }): void {
  useEffect(() => {
    if (refusal?.reason !== 'challenge') return;
    void (async () => {
      const { solveChallenge } = await import('../../../client/src/challenge.ts');
      const field = document.createElement('input');
      Object.assign(field, { type: 'hidden', name: 'challenge', value: await solveChallenge(refusal.challenge as never) });
      form.current?.append(field);
      form.current?.requestSubmit();
    })();
  }, []);
}

/** The back button may show the page as it was when it was left. Then the form must be usable again. */
function useReturn(onReturn: () => void): void {
  useEffect(() => {
    addEventListener('pageshow', onReturn);
    return () => removeEventListener('pageshow', onReturn);
  }, []);
}

import { useState } from 'preact/hooks';
import type { FoundGuest } from '../../../src/door/search-contract.ts';
import { TextField } from '../../ui/field.tsx';
import { useApp } from './context.ts';
import { Sheet } from './sheet.tsx';
import { submitting } from './submit.ts';

/** Finds guests by name or document, for roles that may. */
export function SearchGuest({ close }: { close: () => void }) {
  const { door, t, state } = useApp();
  const [found, setFound] = useState<FoundGuest[] | 'offline' | null>(null);
  const { choice } = state;
  const submit = submitting(async (field) => {
    const text = field('q').trim();
    if (!choice || text.length < 3) return;
    const reply = await door.api.search(choice.eventId, text, choice.sessionId);
    setFound(reply.kind === 'ok' ? reply.body.data : reply.kind === 'refused' ? [] : 'offline');
  });
  const admit = (ticket: FoundGuest) => {
    close();
    void door.checkIns.admit(ticket);
  };
  return (
    <Sheet title={t.search.title} close={close}>
      <form class="form" onSubmit={submit} role="search">
        <TextField id="q" name="q" type="search" label={t.search.label} hint={t.search.hint} value="" required autocomplete="off" />
        <button class="button wide" type="submit">
          {t.scan.search}
        </button>
      </form>
      <div role="status">
        {found === 'offline' && <p>{t.search.offline}</p>}
        {Array.isArray(found) && found.length === 0 && <p>{t.search.none}</p>}
      </div>
      <ul class="cards">
        {Array.isArray(found) &&
          found.map((ticket) => (
            <li key={ticket.ticketId}>
              <p>
                <strong>{ticket.holder ?? ticket.item}</strong>
                <span class="soft">{ticket.item}</span>
              </p>
              {ticket.state === 'valid' ? (
                <button class="button secondary" type="button" onClick={() => admit(ticket)}>
                  {t.search.admit}
                </button>
              ) : (
                <span class="pill warn">{ticket.state === 'used' ? t.answer.already_used : t.answer.refunded}</span>
              )}
            </li>
          ))}
      </ul>
    </Sheet>
  );
}

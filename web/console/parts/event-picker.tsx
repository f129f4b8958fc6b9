import { useEffect, useState } from 'preact/hooks';
import { dayRange } from '../../ui/format.ts';
import { useConsole } from '../app/console.ts';
import { useData } from '../app/use-data.ts';
import { Dialog } from './dialog.tsx';
import { Show } from './show.tsx';
import './event-picker.css';

interface PickedEvent {
  id: number;
  title: string;
  currency: string;
}

interface EventPickerProps {
  title: string;
  labels: { search: string; none: string };
  /** Only events in this status. */
  status?: 'published';
  /** Events that were chosen already. */
  without?: readonly number[];
  onPick: (event: PickedEvent) => unknown;
  onClose: () => void;
}

const typingMs = 200;
const shown = 20;

/** A dialog that searches the events of the user and returns one of them. */
export function EventPicker({ title, labels, status, without = [], onPick, onClose }: EventPickerProps) {
  const { client, locale } = useConsole();
  const [typed, setTyped] = useState('');
  const [term, setTerm] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setTerm(typed.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const events = useData(
    async (signal) => {
      const fields = ['id', 'title', 'start', 'finish', 'venue', 'currency'] as const;
      const query = { pageSize: shown, fields: [...fields], ...(term && { term }), ...(status && { status }) };
      return (await client.events.list(query, { signal })).data;
    },
    [term],
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <input
        class="input"
        type="search"
        aria-label={labels.search}
        placeholder={labels.search}
        autocomplete="off"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <div class="picker-events">
        <Show of={events}>
          {(rows) => {
            const open = rows.filter(({ id }) => !without.includes(id));
            if (open.length === 0) return <p class="soft">{labels.none}</p>;
            return (
              <ul class="plain-list">
                {open.map(({ id, title: name, start, finish, venue, currency }) => (
                  <li key={id}>
                    <button type="button" class="menu-item picker-event" onClick={() => onPick({ id, title: name, currency })}>
                      <b>{name}</b>
                      <span class="soft small">
                        {[start && finish && dayRange(start, finish, locale), venue?.city].filter(Boolean).join(' · ')}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            );
          }}
        </Show>
      </div>
    </Dialog>
  );
}

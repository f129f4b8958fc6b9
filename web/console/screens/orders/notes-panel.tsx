import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { instant } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { TextArea } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import type { Details } from './order-words.tsx';

/** What the crew wrote about the order. */
export function NotesPanel({ details: { order, notes }, reload }: { details: Details; reload: () => Promise<void> }) {
  const { client, locale } = useConsole();
  const { event, can } = useEvent();
  const t = useMessages<OrdersMessages>();
  return (
    <section class="panel">
      <h2>{t.notes.title}</h2>
      {notes.data.length === 0 && <p class="soft">{t.notes.none}</p>}
      <ul class="orders-notes">
        {notes.data.map(({ id, text, author, createdAt }) => (
          <li key={id}>
            <p class="plain-text">{text}</p>
            <p class="soft small">
              {author.name} · {instant(createdAt, 'moment', locale, event.timezone)}
            </p>
          </li>
        ))}
      </ul>
      {can('order.sell') && (
        <Form
          draft={`order-note-${order.id}`}
          initial={{ text: '' }}
          submit={({ values }) => client.orders.notes.create({ id: order.id, text: values.text })}
          onDone={() => void reload()}
          action={t.notes.add}
        >
          <TextArea name="text" label={t.notes.text} hint={t.notes.hint} rows={2} maxLength={2000} required />
        </Form>
      )}
    </section>
  );
}

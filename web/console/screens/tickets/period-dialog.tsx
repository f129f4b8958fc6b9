import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DateTimeField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { availableOf, type Item, periodOf, webShop } from '../../parts/item.ts';
import { localNow } from '../../parts/wall-clock.ts';
import type { Tickets } from './use-tickets.ts';

interface PeriodDialogProps {
  item: Item;
  tickets: Tickets;
  onClose: () => void;
}

/** When the web shop sells the item. Other channels are in the settings of the item. */
export function PeriodDialog({ item, tickets, onClose }: PeriodDialogProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const toast = useToast();
  const valuesOf = (version: Item) => {
    const period = periodOf(version, webShop);
    return { start: period?.start ?? localNow(event.timezone), finish: period?.finish ?? event.start ?? '' };
  };
  return (
    <Dialog title={fill(t.periodOf, { name: item.name })} onClose={onClose}>
      <Form
        initial={valuesOf(item)}
        version={item.updatedAt}
        reread={async () => {
          const fresh = await client.items.get({ id: item.id });
          return { values: valuesOf(fresh), version: fresh.updatedAt };
        }}
        submit={async ({ values, version }) => {
          const available = periodOf(item, webShop)?.available ?? availableOf(item);
          const salesPeriod = { appCategoryId: webShop, ...values, available };
          await client.items.updateMany({ id: event.id, items: [{ id: item.id, ...(version && { updatedAt: version }), salesPeriod }] });
        }}
        onDone={() => {
          toast(frame.saved);
          onClose();
          void tickets.loaded.reload();
        }}
        action={frame.save}
      >
        <div class="columns">
          <DateTimeField name="start" label={t.periodStart} required />
          <DateTimeField name="finish" label={t.periodFinish} required />
        </div>
      </Form>
    </Dialog>
  );
}

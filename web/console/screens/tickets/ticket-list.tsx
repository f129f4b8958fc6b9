import { useState } from 'preact/hooks';
import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { plural } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PreviewButton } from '../../parts/preview-button.tsx';
import { Show } from '../../parts/show.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { ItemDrawer } from './item-drawer.tsx';
import { NewItemDialog } from './new-item-dialog.tsx';
import { PeriodDialog } from './period-dialog.tsx';
import { TicketRow } from './ticket-row.tsx';
import './tickets.css';
import { treeOf } from './tree.ts';
import { useSorting } from './use-sorting.ts';
import { type TicketData, type Tickets, useTickets } from './use-tickets.ts';

/** The groups and lots of an event, with everything about them that is changed often. */
export function TicketList({ query }: ScreenProps) {
  const t = useMessages<TicketsMessages>();
  const { event, can } = useEvent();
  const tickets = useTickets();
  const path = `/events/${event.id}/tickets`;
  const close = () => navigate(to(path));
  const open = Number(query.get('item'));
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        {can('item.manage') && (
          <a class="button" href={to(path, { new: 'ticket' })}>
            <Icon path={icons.plus} />
            {t.add}
          </a>
        )}
        <PreviewButton label={t.preview} />
      </PageHead>
      <Show of={tickets.loaded}>
        {(data) => (
          <>
            {data.items.length === 0 ? <NoTickets /> : <Tree data={data} tickets={tickets} />}
            {query.has('new') && can('item.manage') && (
              <NewItemDialog
                items={data.items}
                policy={data.policy}
                groupId={query.get('group')}
                onClose={close}
                onDone={tickets.loaded.reload}
              />
            )}
            {data.items
              .filter(({ id }) => id === open)
              .map((item) => (
                <ItemDrawer key={item.id} item={item} data={data} onClose={close} onSaved={tickets.loaded.reload} />
              ))}
          </>
        )}
      </Show>
    </>
  );
}

function NoTickets() {
  const t = useMessages<TicketsMessages>();
  const { event, can } = useEvent();
  if (!can('item.manage') || !can('event.manage')) return <EmptyState icon={icons.ticket} title={t.empty.title} text={t.empty.text} />;
  const action = { href: to(`/events/${event.id}/setup`), label: t.empty.action };
  return <EmptyState icon={icons.ticket} title={t.empty.title} text={t.empty.text} action={action} />;
}

function Tree({ data, tickets }: { data: TicketData; tickets: Tickets }) {
  const t = useMessages<TicketsMessages>();
  const { can } = useEvent();
  const tree = treeOf(data.items);
  const sorting = useSorting(tree, tickets.reorder);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [period, setPeriod] = useState<number | null>(null);
  const lots = data.items.filter(({ type }) => type !== 'group');
  const chosen = lots.filter(({ id }) => selected.has(id));
  const select = (id: number, isSelected: boolean) => {
    const next = new Set(selected);
    if (isSelected) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  const edited = lots.find(({ id }) => id === period);
  const headings = [t.name, t.price, t.quantity, t.onSale, t.statusLabel, t.sales];
  const mayEdit = can('item.manage');
  return (
    <>
      <table class="table tickets" role="table" aria-busy={tickets.isOrdering}>
        <caption class="visually-hidden">{t.title}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {headings.map((heading, index) => (
              <th key={heading} scope="col" role="columnheader" class={index === 1 || index === 2 ? 'end' : ''}>
                {heading}
              </th>
            ))}
            {mayEdit && (
              <th scope="col" role="columnheader">
                <span class="visually-hidden">{t.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        {tree.map(({ item, lots: inGroup }) => (
          <tbody key={item.id} role="rowgroup">
            {[item, ...inGroup].map((row) => (
              <TicketRow
                key={row.id}
                item={row}
                group={row === item ? null : item}
                policy={data.policy}
                tickets={tickets}
                sorting={sorting}
                isSelected={selected.has(row.id)}
                onSelect={(isSelected) => select(row.id, isSelected)}
                onPeriod={() => setPeriod(row.id)}
              />
            ))}
          </tbody>
        ))}
      </table>
      <p class="visually-hidden" role="status">
        {sorting.announcement}
      </p>
      {mayEdit && (
        <Selection
          chosen={chosen}
          count={lots.length}
          onAll={() => setSelected(new Set(chosen.length === lots.length ? [] : lots.map(({ id }) => id)))}
          onClear={() => setSelected(new Set())}
          data={data}
          tickets={tickets}
        />
      )}
      {edited && <PeriodDialog item={edited} tickets={tickets} onClose={() => setPeriod(null)} />}
    </>
  );
}

interface SelectionProps {
  chosen: TicketData['items'];
  count: number;
  onAll: () => void;
  onClear: () => void;
  data: TicketData;
  tickets: Tickets;
}

/** The bar below the list: how many lots are selected, and the button that edits them together. */
function Selection({ chosen, count, onAll, onClear, data, tickets }: SelectionProps) {
  const { locale } = useConsole();
  const t = useMessages<TicketsMessages>();
  const [isEditing, setEditing] = useState(false);
  const isAll = chosen.length === count;
  return (
    <div class={`tickets-selection ${chosen.length > 0 ? 'open' : ''}`}>
      <label class="check">
        <input type="checkbox" checked={isAll && count > 0} indeterminate={chosen.length > 0 && !isAll} onChange={onAll} />
        {chosen.length === 0 ? t.selectAll : plural(locale, t.selected, chosen.length)}
      </label>
      {chosen.length > 0 && (
        <>
          <button type="button" class="button secondary" onClick={() => setEditing(true)}>
            {plural(locale, t.editSelected, chosen.length)}
          </button>
          <button type="button" class="text-button" onClick={onClear}>
            {t.clear}
          </button>
        </>
      )}
      {isEditing && (
        <BulkDialog
          items={chosen}
          policy={data.policy}
          onClose={() => setEditing(false)}
          onDone={() => {
            setEditing(false);
            onClear();
            void tickets.loaded.reload();
          }}
        />
      )}
    </div>
  );
}

import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { Menu } from '../../parts/menu.tsx';
import type { RowProps } from './ticket-row.tsx';

export function RowMenu({ item, tickets, sorting }: Pick<RowProps, 'item' | 'tickets' | 'sorting'>) {
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const path = `/events/${event.id}/tickets`;
  return (
    <Menu
      label={fill(t.menuOf, { name: item.name })}
      summary={
        <span class="icon-button">
          <Icon path={icons.more} />
        </span>
      }
    >
      <a class="menu-item" href={to(path, { item: item.id })}>
        <Icon path={icons.gear} size={18} />
        {t.edit}
      </a>
      {item.type === 'group' && (
        <a class="menu-item" href={to(path, { new: 'ticket', group: item.id })}>
          <Icon path={icons.plus} size={18} />
          {t.addLot}
        </a>
      )}
      <button type="button" class="menu-item" onClick={() => void tickets.setSalable(item, !item.salable)}>
        <Icon path={item.salable ? icons.minus : icons.check} size={18} />
        {item.salable ? t.close : t.open}
      </button>
      <button type="button" class="menu-item" onClick={() => void tickets.duplicate(item)}>
        <Icon path={icons.copy} size={18} />
        {t.duplicate}
      </button>
      <button type="button" class="menu-item" disabled={!sorting.canMove(item.id, -1)} onClick={() => sorting.move(item.id, -1)}>
        <Icon path={icons.moveUp} size={18} />
        {t.moveUp}
      </button>
      <button type="button" class="menu-item" disabled={!sorting.canMove(item.id, 1)} onClick={() => sorting.move(item.id, 1)}>
        <Icon path={icons.moveDown} size={18} />
        {t.moveDown}
      </button>
      <button type="button" class="menu-item" onClick={() => void tickets.remove(item)}>
        <Icon path={icons.close} size={18} />
        {t.remove}
      </button>
    </Menu>
  );
}

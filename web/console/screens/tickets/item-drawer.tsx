import { useState } from 'preact/hooks';
import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { Item } from '../../parts/item.ts';
import { BasicsForm } from './basics-form.tsx';
import { LimitsForm } from './limits-form.tsx';
import { PriceForm } from './price-form.tsx';
import { SaleForm } from './sale-form.tsx';
import { TriggersForm } from './triggers-form.tsx';
import type { TicketData } from './use-tickets.ts';

const tabs = ['basics', 'price', 'sale', 'limits', 'triggers'] as const;
type Tab = (typeof tabs)[number];

interface ItemDrawerProps {
  item: Item;
  data: TicketData;
  onClose: () => void;
  onSaved: () => unknown;
}

const forms = { basics: BasicsForm, price: PriceForm, sale: SaleForm, limits: LimitsForm, triggers: TriggersForm };

/** All settings of an item, in one form for each subject. */
export function ItemDrawer({ item, data, onClose, onSaved }: ItemDrawerProps) {
  const { t: frame } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { can } = useEvent();
  const toast = useToast();
  const [tab, setTab] = useState<Tab>('basics');
  const saved = () => {
    toast(frame.saved);
    void onSaved();
  };
  const shown = tabs.filter((each) => item.type !== 'group' || each === 'basics' || each === 'limits');
  const TabForm = forms[tab];
  return (
    <Dialog title={item.name} shape="side" onClose={onClose}>
      <nav class="tabs" aria-label={t.tabs.label}>
        {shown.map((each) => (
          <button key={each} type="button" {...(each === tab && { 'aria-current': 'true' })} onClick={() => setTab(each)}>
            {t.tabs[each]}
          </button>
        ))}
      </nav>
      <fieldset class="tickets-form" disabled={!can('item.manage')}>
        <legend class="visually-hidden">{t.tabs[tab]}</legend>
        <TabForm key={tab} item={item} data={data} onSaved={saved} />
      </fieldset>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import { etagOf } from '../../../../client/src/index.ts';
import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { Item } from '../../parts/item.ts';
import { Show } from '../../parts/show.tsx';
import { BasicsForm } from './basics-form.tsx';
import type { ItemFormProps } from './item-form.tsx';
import { LimitsForm } from './limits-form.tsx';
import { PriceForm } from './price-form.tsx';
import { SaleForm } from './sale-form.tsx';
import { TriggersForm } from './triggers-form.tsx';
import type { TicketData } from './use-tickets.ts';

const tabs = ['basics', 'price', 'sale', 'limits', 'triggers'] as const;
type Tab = (typeof tabs)[number];

interface ItemDrawerProps {
  id: number;
  data: TicketData;
  onClose: () => void;
  onSaved: () => unknown;
}

/** All settings of an item, in one form for each subject. */
export function ItemDrawer({ id, data, onClose, onSaved }: ItemDrawerProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { can } = useEvent();
  const toast = useToast();
  const [tab, setTab] = useState<Tab>('basics');
  const item = useData((signal) => client.items.get({ id }, { signal }), [id]);
  const name = data.items.find((listed) => listed.id === id)?.name ?? '';
  const saved = () => {
    toast(frame.saved);
    void item.reload();
    void onSaved();
  };
  const shown = (loaded: Item) => tabs.filter((each) => loaded.type !== 'group' || each === 'basics' || each === 'limits');
  return (
    <Dialog title={name} shape="side" onClose={onClose}>
      <Show of={item}>
        {(loaded) => (
          <>
            <nav class="tickets-tabs" aria-label={t.tabs.label}>
              {shown(loaded).map((each) => (
                <button
                  key={each}
                  type="button"
                  class="chip"
                  {...(each === tab && { 'aria-current': 'true' })}
                  onClick={() => setTab(each)}
                >
                  {t.tabs[each]}
                </button>
              ))}
            </nav>
            <fieldset class="tickets-form" disabled={!can('item.manage')}>
              <legend class="visually-hidden">{t.tabs[tab]}</legend>
              <TabForm
                key={tab}
                tab={tab}
                item={loaded}
                data={data}
                version={etagOf(loaded)}
                reread={() => client.items.get({ id })}
                onSaved={saved}
              />
            </fieldset>
          </>
        )}
      </Show>
    </Dialog>
  );
}

const forms = { basics: BasicsForm, price: PriceForm, sale: SaleForm, limits: LimitsForm, triggers: TriggersForm };

function TabForm({ tab, ...props }: ItemFormProps & { tab: Tab }) {
  const TabContent = forms[tab];
  return <TabContent {...props} />;
}

import { useState } from 'preact/hooks';
import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { errorText } from '../../parts/show.tsx';
import { type Details, ticketCount } from './order-words.tsx';
import { RefundDialog } from './refund-dialog.tsx';

interface ActionsProps {
  details: Details;
  reload: () => Promise<void>;
}

/** The buttons of an order. Those that the state of the order or the role of the user rules out are not shown. */
export function OrderActions({ details, reload }: ActionsProps) {
  const { can: canAnywhere } = useConsole();
  const { can } = useEvent();
  const t = useMessages<OrdersMessages>();
  const [opened, setOpened] = useState<'refund' | 'email' | null>(null);
  const act = useActions(details, reload);
  const { order } = details;
  const isPaid = order.status === 'approved';
  const entries = [
    isPaid && order.buyer && can('order.sell') && { label: t.resend, icon: icons.mail, run: act.resend },
    isPaid && order.buyer && can('order.refund') && { label: t.email.open, icon: icons.person, run: async () => setOpened('email') },
    isPaid && order.buyer && can('order.sell') && { label: t.revoke.open, icon: icons.key, run: act.revoke },
    order.status === 'held' && can('order.sell') && { label: t.cancel.open, icon: icons.close, run: act.cancel },
    order.status !== 'held' && order.buyer && canAnywhere('admin') && { label: t.erase.open, icon: icons.shield, run: act.erase },
  ].filter((entry) => entry !== false && entry !== null);
  return (
    <>
      {isPaid && can('order.refund') && (
        <button type="button" class="button" onClick={() => setOpened('refund')}>
          {t.refund.open}
        </button>
      )}
      {isPaid && (
        <button type="button" class="button plain" onClick={() => void act.print()}>
          <Icon path={icons.ticket} size={18} />
          {t.print}
        </button>
      )}
      {entries.length > 0 && (
        <Menu
          summary={
            <span class="button plain">
              {t.more}
              <Icon path={icons.chevron} size={18} />
            </span>
          }
        >
          {entries.map(({ label, icon, run }) => (
            <button key={label} type="button" class="menu-item" onClick={() => void run()}>
              <Icon path={icon} size={18} />
              {label}
            </button>
          ))}
        </Menu>
      )}
      {opened === 'refund' && <RefundDialog details={details} reload={reload} onClose={() => setOpened(null)} />}
      {opened === 'email' && <EmailDialog details={details} reload={reload} onClose={() => setOpened(null)} />}
    </>
  );
}

/** The actions that need at most a confirmation. What fails is shown in a toast. */
function useActions({ order, notes }: Details, reload: () => Promise<void>) {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<OrdersMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const { id } = order;
  const attempt = async (work: () => Promise<string | null>) => {
    try {
      const text = await work();
      if (text !== null) toast(text);
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  return {
    print: () =>
      attempt(async () => {
        const file = await client.orders.ticketsPdf({ id, locale });
        saveFile(await file.blob(), `tickets-${id}.pdf`);
        return null;
      }),
    resend: () =>
      attempt(async () => {
        await client.orders.resendTickets({ id });
        return fill(t.resent, { email: order.buyer?.email ?? '' });
      }),
    revoke: async () => {
      if (!(await confirm({ title: t.revoke.title, text: t.revoke.text, action: t.revoke.action, danger: true }))) return;
      await attempt(async () => plural(locale, t.revoke.done, (await client.orders.revokeLinks({ id })).revoked));
    },
    cancel: async () => {
      const text = plural(locale, t.cancel.text, ticketCount(order));
      if (!(await confirm({ title: fill(t.cancel.title, { id }), text, action: t.cancel.action, danger: true }))) return;
      await attempt(async () => {
        await client.orders.cancel({ id });
        return t.cancel.done;
      });
    },
    erase: async () => {
      const text = fill(t.erase.text, { notes: plural(locale, t.erase.notes, notes.data.length) });
      const question = { title: fill(t.erase.title, { id }), text, action: t.erase.action, danger: true, typed: order.buyer?.name ?? '' };
      if (!(await confirm(question))) return;
      await attempt(async () => {
        await client.orders.anonymize({ id });
        return t.erase.done;
      });
    },
  };
}

function EmailDialog({ details: { order }, reload, onClose }: ActionsProps & { onClose: () => void }) {
  const { client } = useConsole();
  const t = useMessages<OrdersMessages>();
  const toast = useToast();
  return (
    <Dialog title={t.email.title} onClose={onClose}>
      <p>{t.email.text}</p>
      <Form
        initial={{ email: order.buyer?.email ?? '' }}
        submit={async ({ values: { email } }) => {
          await client.orders.changeBuyerEmail({ id: order.id, email });
          toast(fill(t.email.done, { email }));
        }}
        onDone={() => {
          onClose();
          void reload();
        }}
        action={t.email.action}
      >
        <TextField name="email" type="email" label={t.email.field} maxLength={254} autocomplete="off" required autofocus />
      </Form>
    </Dialog>
  );
}

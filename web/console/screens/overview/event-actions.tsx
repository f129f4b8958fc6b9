import { useState } from 'preact/hooks';
import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Menu } from '../../parts/menu.tsx';
import { PreviewButton } from '../../parts/preview-button.tsx';
import { errorText } from '../../parts/show.tsx';
import { CancelChoice, type CancelValues } from './cancel-choice.tsx';
import type { Dashboard } from './overview.tsx';

/** The shop page, and what can be done with the event in its status. */
export function EventActions({ figures }: { figures: Dashboard | null }) {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { event, can } = useEvent();
  const actions = useActions(figures);
  const isDraft = event.status === 'draft';
  const canUnpublish = figures !== null && figures.totals.sold + figures.totals.courtesy + figures.totals.held === 0;
  if (!can('event.manage')) return isDraft ? null : <ShopLink href={`/${locale}/event/${event.link}`} />;
  return (
    <>
      {isDraft && (
        <button type="button" class="button" aria-busy={actions.isBusy} onClick={actions.publish}>
          {t.publish}
        </button>
      )}
      {isDraft ? <PreviewButton label={t.preview} /> : <ShopLink href={`/${locale}/event/${event.link}`} />}
      {event.status !== 'cancelled' && (
        <Menu summary={<span class="button plain">{t.more}</span>}>
          {isDraft && <Item label={t.publishPrivately} run={actions.publishPrivately} />}
          {event.status === 'published' && <Item label={t.makePrivate} run={actions.makePrivate} />}
          {event.status === 'private' && <Item label={t.makePublic} run={actions.makePublic} />}
          {!isDraft && canUnpublish && <Item label={t.unpublish} run={actions.unpublish} />}
          {!isDraft && <Item label={t.cancelEvent} run={actions.cancel} />}
        </Menu>
      )}
    </>
  );
}

const Item = ({ label, run }: { label: string; run: () => void }) => (
  <button type="button" class="menu-item" onClick={run}>
    {label}
  </button>
);

function ShopLink({ href }: { href: string }) {
  const t = useMessages<OverviewMessages>();
  return (
    <a class="button plain" href={href} target="_blank" rel="noreferrer">
      <Icon path={icons.external} size={18} />
      {t.shopPage}
    </a>
  );
}

function useActions(figures: Dashboard | null) {
  const { client, t: frame } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { event, can, set } = useEvent();
  const [toast, confirm] = [useToast(), useConfirm()];
  const [isBusy, setBusy] = useState(false);
  const { id } = event;
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    await work().catch((error: unknown) => toast(errorText(frame, error), { tone: 'bad' }));
    setBusy(false);
  };
  /** Changes the status, and offers to change it back. */
  const change = (next: () => Promise<EventData>, text: string, back?: () => Promise<EventData>) =>
    void attempt(async () => {
      set(await next());
      toast(text, back && { action: { label: frame.undo, run: () => attempt(async () => set(await back())) } });
    });
  const publish = (isPrivate: boolean) => client.events.publish({ id, private: isPrivate });
  const unpublish = () => client.events.unpublish({ id });
  const cancel = () =>
    attempt(async () => {
      const canRefund = can('order.refund');
      const values: CancelValues = { reason: '', refund: canRefund };
      const text = <CancelChoice t={t} canRefund={canRefund} values={values} figures={figures} currency={event.currency} />;
      const yes = await confirm({ title: t.cancel.title, text, action: t.cancelEvent, typed: event.title, danger: true });
      if (!yes) return;
      const { reason, refund } = values;
      set(await client.events.cancel({ id, refund, ...(reason.trim() && { reason: reason.trim() }) }));
      toast(t.cancel.done);
    });
  return {
    isBusy,
    publish: () => change(() => publish(false), t.published, unpublish),
    publishPrivately: () => change(() => publish(true), t.madePrivate, unpublish),
    makePrivate: () =>
      change(
        () => publish(true),
        t.madePrivate,
        () => publish(false),
      ),
    makePublic: () =>
      change(
        () => publish(false),
        t.madePublic,
        () => publish(true),
      ),
    unpublish: () => change(unpublish, t.unpublished, () => publish(event.status === 'private')),
    cancel: () => void cancel(),
  };
}

import { useState } from 'preact/hooks';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { errorText } from '../../parts/show.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { Cancellation } from './cancellation.tsx';
import { DuplicateEventDialog } from './duplicate-event-dialog.tsx';
import { SettingsHead } from './settings-head.tsx';

/** Publish, take from sale, cancel and duplicate the event. */
export function Status() {
  const { client, t: frame } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event, set, can } = useEvent();
  const toast = useToast();
  const [open, setOpen] = useState<'cancel' | 'duplicate' | null>(null);
  const close = () => setOpen(null);
  const { status } = event;

  const attempt = (work: () => Promise<void>) => work().catch((error: unknown) => toast(errorText(frame, error), { tone: 'bad' }));
  /** Changes the status, and offers to change it back. */
  const change = (next: () => Promise<EventData>, done: string) => {
    const back = () => publish(status === 'private');
    const undo = () => attempt(async () => set(await back()));
    return attempt(async () => {
      set(await next());
      toast(done, { action: { label: frame.undo, run: undo } });
    });
  };
  const publish = (isPrivate: boolean) => client.events.publish({ id: event.id, private: isPrivate });
  const unpublish = () => client.events.unpublish({ id: event.id });

  const address = `${location.origin}/event/${event.link}`;
  const isOnSale = status === 'published' || status === 'private';
  return (
    <>
      <SettingsHead subject="status" />
      <div class="narrow stack">
        <section class="panel stack">
          <h2>
            {t.status.title} <span class={`pill ${status}`}>{frame.status[status]}</span>
          </h2>
          <p>{t.status.now[status]}</p>
          {isOnSale && (
            <p class="settings-address">
              <a href={address} target="_blank" rel="noreferrer">
                {address}
              </a>
              <CopyButton text={address} label={t.status.copy} />
            </p>
          )}
          <div class="actions">
            {status === 'draft' && (
              <a class="button" href={to(`/events/${event.id}/setup/publish`)}>
                {t.status.publish}
              </a>
            )}
            {status === 'private' && (
              <button type="button" class="button" onClick={() => void change(() => publish(false), t.status.published)}>
                {t.status.makePublic}
              </button>
            )}
            {status === 'published' && (
              <button type="button" class="button secondary" onClick={() => void change(() => publish(true), t.status.madePrivate)}>
                {t.status.makePrivate}
              </button>
            )}
            {isOnSale && (
              <button type="button" class="button plain" onClick={() => void change(unpublish, t.status.unpublished)}>
                {t.status.unpublish}
              </button>
            )}
          </div>
        </section>
        {can('producer.manage') && (
          <section class="panel stack">
            <h2>{t.duplicate.title}</h2>
            <p>{t.duplicate.text}</p>
            <div class="actions">
              <button type="button" class="button secondary" onClick={() => setOpen('duplicate')}>
                {t.duplicate.open}
              </button>
            </div>
          </section>
        )}
        {status === 'cancelled' ? (
          <Cancellation onRefund={() => setOpen('cancel')} />
        ) : (
          isOnSale && (
            <section class="panel stack">
              <h2>{t.cancel.title}</h2>
              <p>{t.cancel.text}</p>
              <div class="actions">
                <button type="button" class="button danger" onClick={() => setOpen('cancel')}>
                  {t.cancel.title}
                </button>
              </div>
            </section>
          )
        )}
      </div>
      {open === 'cancel' && <CancelDialog onClose={close} />}
      {open === 'duplicate' && <DuplicateEventDialog onClose={close} />}
    </>
  );
}

import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { PreviewButton } from '../../parts/preview-button.tsx';

/** The page of the shop, and the way to publish or to cancel the event. The last step of the set-up publishes, the settings do the rest. */
export function EventActions() {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { event, can } = useEvent();
  const isDraft = event.status === 'draft';
  const canManage = can('event.manage');
  return (
    <>
      {isDraft && canManage && (
        <a class="button" href={to(`/events/${event.id}/setup/publish`)}>
          {t.publish}
        </a>
      )}
      {isDraft && canManage && <PreviewButton label={t.preview} />}
      {!isDraft && (
        <a class="button plain" href={`/${locale}/event/${event.link}`} target="_blank" rel="noreferrer">
          <Icon path={icons.external} size={18} />
          {t.shopPage}
        </a>
      )}
      {!isDraft && canManage && (
        <a class="button plain" href={to(`/events/${event.id}/settings/status`)}>
          {event.status === 'cancelled' ? t.refunds : t.change}
        </a>
      )}
    </>
  );
}

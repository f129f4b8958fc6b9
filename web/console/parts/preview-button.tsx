import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useConsole } from '../app/console.ts';
import { useToast } from '../app/toasts.tsx';
import { useEvent } from '../app/use-event.ts';
import { errorText } from './show.tsx';

/** Opens the shop page of the event as a buyer sees it, also for drafts. */
export function PreviewButton({ label }: { label: string }) {
  const { client, locale, t } = useConsole();
  const { event } = useEvent();
  const toast = useToast();
  const open = async () => {
    // The window is opened at once, because browsers block windows that are opened after a request.
    const shop = window.open('', '_blank');
    try {
      const { link } = await client.events.preview({ id: event.id, locale });
      if (shop) shop.location.replace(link);
      else location.assign(link);
    } catch (error) {
      shop?.close();
      toast(errorText(t, error), { tone: 'bad' });
    }
  };
  return (
    <button type="button" class="button plain" onClick={() => void open()}>
      <Icon path={icons.external} size={18} />
      {label}
    </button>
  );
}

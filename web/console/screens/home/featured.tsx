import { useState } from 'preact/hooks';
import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { fill } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useConfirm } from '../../parts/confirm.tsx';
import { EventPicker } from '../../parts/event-picker.tsx';
import { OrderedList } from '../../parts/ordered-list.tsx';
import { EditFeatured } from './edit-featured.tsx';
import { EntryActions } from './entry-actions.tsx';
import { type EditorProps, eventOf, type FeaturedEntry, isInPeriod } from './settings.ts';
import { useAttempt } from './use-attempt.ts';
import { useOrder } from './use-order.ts';

/** The events and banners below the cover. */
export function Featured({ settings, onChange, show }: EditorProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<HomeMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const [isPicking, setPicking] = useState(false);
  const [edited, setEdited] = useState<FeaturedEntry | 'banner' | null>(null);
  const { featured } = settings;
  const attempt = useAttempt(onChange);
  const nameOf = (entry: FeaturedEntry) => eventOf(settings, entry.eventId)?.title ?? entry.target ?? t.featured.banner;
  const add = (eventId: number) => {
    setPicking(false);
    return attempt(() => client.home.createFeatured({ eventId, position: featured.length }));
  };
  const remove = async (entry: FeaturedEntry) => {
    const { id, position, eventId, target, state, showFrom, showUntil } = entry;
    const name = nameOf(entry);
    if (entry.picture !== null) {
      const question = { title: fill(t.removeName, { name }), text: t.featured.pictureGoes, action: t.remove, danger: true };
      if (!(await confirm(question))) return;
    }
    await attempt(() => client.home.deleteFeatured({ id }));
    const image = entry.picture === null ? entry.image : null;
    const undo = () => attempt(() => client.home.createFeatured({ position, eventId, target, state, showFrom, showUntil, image }));
    toast(fill(t.removed, { name }), { action: { label: frame.undo, run: undo } });
  };
  const order = useOrder({
    rows: featured,
    show: (rows) => show({ ...settings, featured: rows }),
    save: (moved) =>
      attempt(async () => {
        for (const row of moved) await client.home.updateFeatured(row);
      }),
  });
  return (
    <section class="panel">
      <h2>{t.featured.title}</h2>
      {featured.length === 0 ? (
        <p class="soft">{t.featured.none}</p>
      ) : (
        <OrderedList rows={featured} rowKey={({ id }) => id} name={nameOf} labels={t.move} onMove={order}>
          {(entry) => (
            <>
              <Entry entry={entry} name={nameOf(entry)} isEventShown={eventOf(settings, entry.eventId)?.isShown ?? true} />
              <EntryActions name={nameOf(entry)} edit={() => setEdited(entry)} remove={() => void remove(entry)} />
            </>
          )}
        </OrderedList>
      )}
      <div class="actions">
        <button type="button" class="button plain" onClick={() => setPicking(true)}>
          <Icon path={icons.plus} size={18} />
          {t.featured.addEvent}
        </button>
        <button type="button" class="button plain" onClick={() => setEdited('banner')}>
          <Icon path={icons.plus} size={18} />
          {t.featured.addBanner}
        </button>
      </div>
      {isPicking && (
        <EventPicker
          title={t.featured.addEvent}
          labels={t.picker}
          status="published"
          without={featured.flatMap(({ eventId }) => eventId ?? [])}
          onClose={() => setPicking(false)}
          onPick={({ id }) => add(id)}
        />
      )}
      {edited && (
        <EditFeatured
          entry={edited === 'banner' ? null : edited}
          name={edited === 'banner' ? t.featured.addBanner : nameOf(edited)}
          position={featured.length}
          onChange={onChange}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}

interface EntryProps {
  entry: FeaturedEntry;
  name: string;
  isEventShown: boolean;
}

function Entry({ entry, name, isEventShown }: EntryProps) {
  const { locale } = useConsole();
  const t = useMessages<HomeMessages>();
  const { image, eventId, showFrom, showUntil } = entry;
  const time = (text: string) => instant(text, 'yearMoment', locale);
  const period = [
    showFrom && fill(t.featured.from, { time: time(showFrom) }),
    showUntil && fill(t.featured.until, { time: time(showUntil) }),
  ];
  const isShown = isEventShown && isInPeriod(entry, Date.now());
  return (
    <span class="home-entry">
      {image && <img src={image} alt="" />}
      <span class="two-lines">
        <b>{name}</b>
        <span class="soft small">{period.filter(Boolean).join(' ') || (eventId ? t.featured.event : t.featured.banner)}</span>
        {!isShown && <span class="pill warn">{t.notShown}</span>}
      </span>
    </span>
  );
}

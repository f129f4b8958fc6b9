import { useState } from 'preact/hooks';
import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { OrderedList } from '../../parts/ordered-list.tsx';
import { EditSection } from './edit-section.tsx';
import { EntryActions } from './entry-actions.tsx';
import { type EditorProps, eventOf, type HomeSection } from './settings.ts';
import { useAttempt } from './use-attempt.ts';
import { useOrder } from './use-order.ts';

/** Rows of events with a title, such as "This week". */
export function Sections({ settings, onChange, show }: EditorProps) {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<HomeMessages>();
  const toast = useToast();
  const [edited, setEdited] = useState<HomeSection | 'new' | null>(null);
  const { sections } = settings;
  const attempt = useAttempt(onChange);
  const remove = async ({ id, ...section }: HomeSection) => {
    await attempt(() => client.home.deleteSection({ id }));
    const undo = () => attempt(() => client.home.createSection(section));
    toast(fill(t.removed, { name: section.title }), { action: { label: frame.undo, run: undo } });
  };
  const shownIn = ({ eventIds }: HomeSection) => eventIds.filter((id) => eventOf(settings, id)?.isShown).length;
  const order = useOrder({
    rows: sections,
    show: (rows) => show({ ...settings, sections: rows }),
    save: (moved) =>
      attempt(async () => {
        for (const row of moved) await client.home.updateSection(row);
      }),
  });
  return (
    <section class="panel">
      <h2>{t.sections.title}</h2>
      {sections.length === 0 ? (
        <p class="soft">{t.sections.none}</p>
      ) : (
        <OrderedList rows={sections} rowKey={({ id }) => id} name={({ title }) => title} labels={t.move} onMove={order}>
          {(section) => (
            <>
              <span class="two-lines">
                <b>{section.title}</b>
                <span class="soft small">{plural(locale, t.sections.events, shownIn(section))}</span>
                {shownIn(section) === 0 && <span class="pill warn">{t.notShown}</span>}
              </span>
              <EntryActions name={section.title} edit={() => setEdited(section)} remove={() => void remove(section)} />
            </>
          )}
        </OrderedList>
      )}
      <div class="actions">
        <button type="button" class="button plain" onClick={() => setEdited('new')}>
          <Icon path={icons.plus} size={18} />
          {t.sections.add}
        </button>
      </div>
      {edited && (
        <EditSection section={edited === 'new' ? null : edited} settings={settings} onChange={onChange} onClose={() => setEdited(null)} />
      )}
    </section>
  );
}

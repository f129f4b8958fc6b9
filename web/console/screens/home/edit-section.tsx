import { useState } from 'preact/hooks';
import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EventPicker } from '../../parts/event-picker.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { OrderedList } from '../../parts/ordered-list.tsx';
import { type EditorProps, eventOf, type HomeEvent, type HomeSection } from './settings.ts';

interface EditSectionProps extends Omit<EditorProps, 'show'> {
  /** Null for a new section. */
  section: HomeSection | null;
  onClose: () => void;
}

/** The title of a section, and its events in their order. */
export function EditSection({ section, settings, onChange, onClose }: EditSectionProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<HomeMessages>();
  const [events, setEvents] = useState<HomeEvent[]>(() => section?.eventIds.flatMap((id) => eventOf(settings, id) ?? []) ?? []);
  const [isPicking, setPicking] = useState(false);
  const save = async (title: string) => {
    const values = { title, eventIds: events.map(({ id }) => id) };
    if (section) await client.home.updateSection({ id: section.id, ...values });
    else await client.home.createSection({ ...values, position: settings.sections.length });
    onClose();
    await onChange();
  };
  return (
    <Dialog title={section ? section.title : t.sections.add} shape="side" onClose={onClose}>
      <Form
        initial={{ title: section?.title ?? '' }}
        submit={({ values }) => save(values.title)}
        action={section ? frame.save : t.sections.add}
      >
        <TextField name="title" label={t.sections.name} hint={t.sections.nameHint} maxLength={100} required autofocus />
        <div class="field">
          <span class="home-label">{t.sections.eventsLabel}</span>
          {events.length === 0 && <p class="soft">{t.sections.noEvents}</p>}
          <OrderedList rows={events} rowKey={({ id }) => id} name={({ title }) => title} labels={t.move} onMove={setEvents}>
            {({ id, title, isShown }) => (
              <>
                <span>
                  <b>{title}</b> {!isShown && <span class="pill warn">{t.notShown}</span>}
                </span>
                <button
                  type="button"
                  class="text-button"
                  aria-label={fill(t.removeName, { name: title })}
                  onClick={() => setEvents(events.filter((event) => event.id !== id))}
                >
                  {t.remove}
                </button>
              </>
            )}
          </OrderedList>
        </div>
        <div class="actions">
          <button type="button" class="button plain" onClick={() => setPicking(true)}>
            <Icon path={icons.plus} size={18} />
            {t.sections.addEvent}
          </button>
        </div>
      </Form>
      {isPicking && (
        <EventPicker
          title={t.sections.addEvent}
          labels={t.picker}
          status="published"
          without={events.map(({ id }) => id)}
          onClose={() => setPicking(false)}
          onPick={({ id, title }) => {
            setEvents([...events, { id, title, isShown: true }]);
            setPicking(false);
          }}
        />
      )}
    </Dialog>
  );
}

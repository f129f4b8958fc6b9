import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill } from '../../../messages/fill.ts';
import { date } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { NumberField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { useForm } from '../../parts/form-state.ts';
import { addHours } from '../../parts/wall-clock.ts';

/** The copy is a draft. A year is suggested: 52 weeks later it is the same day of the week. */
const suggestedDays = 364;

export function DuplicateEventDialog({ onClose }: { onClose: () => void }) {
  const { client } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event } = useEvent();
  const toast = useToast();
  return (
    <Dialog title={t.duplicate.title} onClose={onClose}>
      <Form
        initial={{ title: fill(t.duplicate.copyOf, { title: event.title }), shiftDays: suggestedDays }}
        submit={async ({ values: { title, shiftDays } }) => {
          const copy = await client.events.duplicate({ id: event.id, title, shiftDays });
          toast(fill(t.duplicate.done, { title }));
          navigate(to(`/events/${copy.id}/settings`));
        }}
        action={t.duplicate.submit}
      >
        <p>{t.duplicate.what}</p>
        <TextField name="title" label={t.details.title} maxLength={200} required />
        <NumberField name="shiftDays" label={t.duplicate.shift} hint={t.duplicate.shiftHint} min={-36_500} max={36_500} required />
        <NewDate />
      </Form>
    </Dialog>
  );
}

/** When the copy starts, with every digit that is typed. */
function NewDate() {
  const { locale } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event } = useEvent();
  const { edits, initial } = useForm();
  const days = String(edits.shiftDays ?? initial.shiftDays);
  if (!event.start || !/^-?\d{1,5}$/.test(days)) return null;
  return (
    <output class="notice">
      {fill(t.duplicate.newDate, { date: date(addHours(event.start, Number(days) * 24), 'yearMoment', locale) })}
    </output>
  );
}

import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Field } from '../../../ui/field.tsx';
import { money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckboxField, TextField, useField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { InvalidField, type Raw, useForm } from '../../parts/form-state.ts';
import { Show } from '../../parts/show.tsx';

/** Says with numbers what the cancellation does. The name of the event must be typed, because a cancelled event cannot be published again. */
export function CancelDialog({ onClose }: { onClose: () => void }) {
  const { client } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event, set, can } = useEvent();
  const toast = useToast();
  const figures = useData((signal) => client.reports.dashboard({ id: event.id }, { signal }), [event.id]);
  return (
    <Dialog title={t.cancel.title} onClose={onClose}>
      <Show of={figures}>
        {({ totals }) => (
          <Form
            danger
            initial={{ refund: can('order.refund'), reason: null as string | null }}
            submit={async ({ values: { refund, reason } }) => {
              set(await client.events.cancel({ id: event.id, refund, ...(reason !== null && { reason }) }));
              toast(t.cancel.done);
              onClose();
            }}
            action={fill(t.cancel.open, { title: event.title })}
            actions={
              <button type="button" class="button plain" onClick={onClose}>
                {t.cancel.back}
              </button>
            }
          >
            <Consequences sold={totals.sold} held={totals.held} paid={totals.paid} />
            {can('order.refund') && <CheckboxField name="refund" label={t.cancel.refund} />}
            <TextField name="reason" label={t.cancel.reason} hint={t.cancel.reasonHint} maxLength={500} />
            <TypedTitle />
          </Form>
        )}
      </Show>
    </Dialog>
  );
}

function TypedTitle() {
  const { t: frame } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event } = useEvent();
  const label = fill(frame.confirm.typeName, { name: event.title });
  const parse = (raw: Raw) => {
    if (String(raw).trim() !== event.title.trim()) throw new InvalidField(t.cancel.notTyped);
    return raw;
  };
  const { id, raw, error, set } = useField('typed', { label, format: () => '', parse });
  return (
    <Field id={id} label={label} error={error}>
      {(attributes) => (
        <input
          class="input"
          name="typed"
          autocomplete="off"
          value={String(raw)}
          onInput={(event_) => set(event_.currentTarget.value)}
          {...attributes}
        />
      )}
    </Field>
  );
}

function Consequences({ sold, held, paid }: { sold: number; held: number; paid: number }) {
  const { locale } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event } = useEvent();
  const { edits, initial } = useForm();
  const refunds = (edits.refund ?? initial.refund) === true;
  return (
    <ul class="settings-list">
      <li>{t.cancel.final}</li>
      <li>{plural(locale, t.cancel.sold, sold)}</li>
      {held > 0 && <li>{plural(locale, t.cancel.held, held)}</li>}
      <li>{refunds ? fill(t.cancel.refunded, { amount: money(paid, event.currency, locale) }) : t.cancel.notRefunded}</li>
    </ul>
  );
}

import { type ChangeType, changeTypes } from '../../../../src/kernel/change-types.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { useMessages } from '../../app/console.ts';
import { CheckboxField, TextField, useField } from '../../parts/fields.tsx';

/** The values of the form: the address, and a box for each type. */
export type WebhookValues = { url: string } & Partial<Record<ChangeType, boolean>>;

export const valuesOf = ({ url, types }: { url: string; types: readonly ChangeType[] }): WebhookValues => ({
  url,
  ...Object.fromEntries(changeTypes.map((type) => [type, types.includes(type)])),
});

export const chosenTypes = (values: WebhookValues): ChangeType[] => changeTypes.filter((type) => values[type]);

/** The fields of a webhook, for a new one and for changes. */
export function WebhookFields() {
  const { webhooks: t } = useMessages<ProducerMessages>();
  // The API names the list, not its boxes. So the list is a field of its own, without a control.
  const { error } = useField('types', { label: t.types, format: () => '', parse: () => undefined });
  return (
    <>
      <TextField name="url" label={t.url} hint={t.urlHint} type="url" maxLength={2000} autocomplete="off" required />
      <fieldset class="stack" aria-describedby={error ? 'types-error' : undefined}>
        <legend>
          <b>{t.types}</b>
        </legend>
        {error && (
          <p id="types-error" class="field-error" role="alert">
            {t.chooseType}
          </p>
        )}
        <div class="columns tight">
          {changeTypes.map((type) => (
            <CheckboxField key={type} name={type} label={t.typeNames[type]} />
          ))}
        </div>
      </fieldset>
    </>
  );
}

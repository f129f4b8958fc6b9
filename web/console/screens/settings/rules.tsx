import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { useMessages } from '../../app/console.ts';
import type { EventData } from '../../app/use-event.ts';
import { CheckboxField, NumberField, SelectField } from '../../parts/fields.tsx';
import { EventForm } from './event-form.tsx';
import { SettingsHead } from './settings-head.tsx';

const valuesOf = ({ saleEnabled, maximumPerOrder, withdrawalDays, challenge, reentry, disputedTickets }: EventData) => ({
  saleEnabled,
  maximumPerOrder,
  withdrawalDays,
  challenge,
  reentry,
  disputedTickets,
});

/** Rules of the sale and of the door. */
export function Rules() {
  const t = useMessages<SettingsMessages>();
  const options = <K extends string>(texts: Readonly<Record<K, string>>) =>
    Object.entries<string>(texts).map(([value, label]) => ({ value, label }));
  return (
    <>
      <SettingsHead subject="rules" />
      <div class="narrow">
        <EventForm name="rules" valuesOf={valuesOf}>
          <CheckboxField name="saleEnabled" label={t.rules.sale} hint={t.rules.saleHint} />
          <div class="columns">
            <NumberField name="maximumPerOrder" label={t.rules.maximum} hint={t.rules.maximumHint} min={1} max={200} required />
            <NumberField name="withdrawalDays" label={t.rules.withdrawal} hint={t.rules.withdrawalHint} min={0} max={365} required />
          </div>
          <SelectField name="reentry" label={t.rules.reentry} options={options(t.rules.reentries)} required />
          <SelectField name="disputedTickets" label={t.rules.disputed} options={options(t.rules.disputes)} required />
          <SelectField name="challenge" label={t.rules.challenge} options={options(t.rules.challenges)} required />
        </EventForm>
      </div>
    </>
  );
}

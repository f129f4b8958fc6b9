import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { date } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { CheckboxField, NumberField, SelectField, TextArea, TextField } from '../../parts/fields.tsx';
import type { Item } from '../../parts/item.ts';
import { ItemForm, type ItemFormProps, type WriteOptions } from './item-form.tsx';

interface Values {
  name: string;
  description: string | null;
  parentId: string | null;
  quantity: number | null;
  salable: boolean;
  hidden: boolean;
  [session: `session${number}`]: boolean;
}

/** Name, group, quantity, sessions, and who can see the item. */
export function BasicsForm(props: ItemFormProps) {
  const { item, data } = props;
  const { client, locale } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const isGroup = item.type === 'group';
  const groups = data.items.filter(({ type }) => type === 'group');
  const hasSessions = !isGroup && event.sessions.length > 1;
  const valuesOf = ({ name, description, parentId, quantity, salable, hidden, sessionIds }: Item): Values => ({
    name,
    description,
    parentId: parentId === null ? '' : String(parentId),
    quantity,
    salable,
    hidden,
    ...Object.fromEntries(event.sessions.map(({ id }) => [`session${id}`, sessionIds.includes(id)])),
  });
  const submit = async (values: Values, changed: Partial<Values>, options: WriteOptions) => {
    const { name, description, parentId, quantity, salable, hidden } = values;
    const sessionIds = event.sessions.map(({ id }) => id).filter((id) => values[`session${id}`]);
    const isSessionChanged = Object.keys(changed).some((field) => field.startsWith('session'));
    const changes = {
      name,
      quantity,
      salable,
      hidden,
      description: description ?? '',
      ...('parentId' in changed && { parentId: parentId === null ? null : Number(parentId) }),
      ...(isSessionChanged && { sessionIds }),
    };
    await client.items.update({ id: item.id, ...changes }, options);
  };
  return (
    <ItemForm<Values> {...props} draft={`item-${item.id}`} valuesOf={valuesOf} submit={submit}>
      <TextField name="name" label={t.name} maxLength={200} required />
      <TextArea name="description" label={t.description} rows={3} maxLength={5000} />
      <div class="columns">
        <NumberField name="quantity" label={t.quantity} hint={isGroup ? t.groupLimitHint : t.noLimitHint} min={0} max={100_000_000} />
        {!isGroup && groups.length > 0 && (
          <SelectField
            name="parentId"
            label={t.group}
            options={[{ value: '', label: t.noGroup }, ...groups.map(({ id, name }) => ({ value: String(id), label: name }))]}
          />
        )}
      </div>
      <CheckboxField name="salable" label={t.salable} hint={t.salableHint} />
      {!isGroup && <CheckboxField name="hidden" label={t.hiddenLabel} hint={t.hiddenHint} />}
      {hasSessions && (
        <fieldset>
          <legend>{t.sessions}</legend>
          <p class="field-hint">{t.sessionsHint}</p>
          {event.sessions.map(({ id, name, start }) => (
            <CheckboxField key={id} name={`session${id}`} label={`${name} · ${date(start, 'moment', locale)}`} />
          ))}
        </fieldset>
      )}
    </ItemForm>
  );
}

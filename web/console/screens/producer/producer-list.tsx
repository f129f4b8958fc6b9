import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';

type Producer = AnswerOf<'listProducers'>['data'][number];

/** The producers that the user is a member of. Admins of the platform see all of them. */
export function ProducerList() {
  const { client, locale, can } = useConsole();
  const t = useMessages<ProducerMessages>();
  const [isCreating, setCreating] = useState(false);
  const producers = usePages(
    (cursor, signal) => client.producers.list({ pageSize: 50, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [],
  );
  const columns: Column<Producer>[] = [
    { key: 'name', label: t.list.name, cell: ({ name }) => name, sort: ({ name }) => name },
    { key: 'currency', label: t.list.currency, cell: ({ currency }) => currency, sort: ({ currency }) => currency },
    {
      key: 'since',
      label: t.list.since,
      cell: ({ createdAt }) => instant(createdAt, 'yearDay', locale),
      sort: ({ createdAt }) => createdAt,
    },
  ];
  return (
    <>
      <PageHead title={t.title}>
        {can('admin') && (
          <button type="button" class="button" onClick={() => setCreating(true)}>
            <Icon path={icons.plus} />
            {t.list.create}
          </button>
        )}
      </PageHead>
      <Show of={producers}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.building} title={t.list.none.title} text={t.list.none.text} />
          ) : (
            <Table
              name="producers"
              caption={t.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              href={({ id }) => to(`/producers/${id}`)}
              more={producers.more}
            />
          )
        }
      </Show>
      {isCreating && <NewProducer onClose={() => setCreating(false)} />}
    </>
  );
}

function NewProducer({ onClose }: { onClose: () => void }) {
  const { client } = useConsole();
  const t = useMessages<ProducerMessages>();
  const toast = useToast();
  const create = async (values: { name: string; currency: string; 'owner.email': string }) => {
    const { name, currency } = values;
    const { id } = await client.producers.create({ name, currency, owner: { email: values['owner.email'] } });
    toast(fill(t.list.created, { name }));
    onClose();
    navigate(to(`/producers/${id}`));
  };
  return (
    <Dialog title={t.list.create} onClose={onClose}>
      <Form
        draft="new-producer"
        initial={{ name: '', currency: 'BRL', 'owner.email': '' }}
        submit={({ values }) => create(values)}
        action={t.list.create}
      >
        <TextField name="name" label={t.profile.name} maxLength={200} required />
        <TextField name="currency" label={t.list.currency} pattern="[A-Z]{3}" maxLength={3} required />
        <TextField name="owner.email" label={t.list.owner} hint={t.list.ownerHint} type="email" maxLength={254} required />
      </Form>
    </Dialog>
  );
}

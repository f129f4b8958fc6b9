import type { ProducersMessages } from '../../../messages/console/producers.en.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { usePages } from '../../app/use-data.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';

export function ProducerList() {
  const { client, locale, can, me } = useConsole();
  const t = useMessages<ProducersMessages>();
  const producers = usePages(
    (cursor, signal) => client.producers.list({ pageSize: 50, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [],
  );
  type Row = NonNullable<typeof producers.data>[number];
  const roleIn = (producerId: number) => me?.producers.find(({ id }) => id === producerId)?.role;
  const columns: Column<Row>[] = [
    { key: 'name', label: t.name, cell: ({ name }) => name, sort: ({ name }) => name },
    { key: 'currency', label: t.currency, cell: ({ currency }) => currency },
    {
      key: 'role',
      label: t.yourRole,
      cell: ({ id }) => {
        const role = roleIn(id);
        return role ? t.roles[role] : '–';
      },
    },
    { key: 'created', label: t.created, cell: ({ createdAt }) => instant(createdAt, 'yearDay', locale), optional: true },
  ];
  const isAdmin = can('admin');
  return (
    <>
      <PageHead title={t.title}>
        {isAdmin && (
          <a class="button" href={to('/producers/new')}>
            <Icon path={icons.plus} />
            {t.create}
          </a>
        )}
      </PageHead>
      <Show of={producers}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={icons.building}
              title={t.none.title}
              text={isAdmin ? t.none.admin : t.none.text}
              {...(isAdmin && { action: { href: to('/producers/new'), label: t.create } })}
            />
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
    </>
  );
}

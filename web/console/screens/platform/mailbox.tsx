import { isProblem } from '../../../../client/src/index.ts';
import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { usePages } from '../../app/use-data.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';

/** The mails of a service that has no mail server. */
export function Mailbox() {
  const { client, locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const mails = usePages(
    (cursor, signal) => client.mailbox.list({ pageSize: 25, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [],
  );
  type Row = NonNullable<typeof mails.data>[number];
  const columns: Column<Row>[] = [
    { key: 'subject', label: t.mailbox.subject, cell: ({ subject }) => subject },
    { key: 'to', label: t.mailbox.to, cell: (row) => row.to },
    { key: 'at', label: t.mailbox.at, cell: ({ at }) => instant(at, 'yearMoment', locale) },
  ];
  const isOff = isProblem(mails.error) && mails.error.status === 404;
  return (
    <>
      <PageHead title={t.tiles.mailbox.title} about={t.mailbox.about} back={{ href: to('/platform'), label: t.title }}>
        {!isOff && (
          <button type="button" class="button plain" onClick={() => void mails.reload()}>
            {t.mailbox.refresh}
          </button>
        )}
      </PageHead>
      {isOff ? (
        <EmptyState icon={icons.mail} title={t.mailbox.off.title} text={t.mailbox.off.text} />
      ) : (
        <Show of={mails}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon={icons.mail} title={t.mailbox.none.title} text={t.mailbox.none.text} />
            ) : (
              <Table
                name="mails"
                caption={t.tiles.mailbox.title}
                columns={columns}
                rows={rows}
                rowKey={({ id }) => id}
                href={({ id }) => to(`/platform/mailbox/${id}`)}
                more={mails.more}
              />
            )
          }
        </Show>
      )}
    </>
  );
}

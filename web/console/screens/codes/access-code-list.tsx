import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { CodesMessages } from '../../../messages/console/codes.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { date } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData, usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { SearchFilter, SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { AccessCodeDialog } from './access-code-dialog.tsx';
import { BatchDialog } from './batch-dialog.tsx';
import './codes.css';

export type AccessCode = AnswerOf<'listPasskeys'>['data'][number];
export type Item = AnswerOf<'listItems'>['data'][number];

const statuses = ['active', 'scheduled', 'finished', 'exhausted'] as const;
const tones: Record<AccessCode['status'], string> = { active: 'ok', scheduled: 'warn', finished: '', exhausted: '' };

/** Codes that open hidden tickets. */
export function AccessCodeList({ query }: ScreenProps) {
  const { client } = useConsole();
  const { event, can } = useEvent();
  const { access: t } = useMessages<CodesMessages>();
  const [opened, setOpened] = useState<'new' | 'batch' | AccessCode | null>(null);
  const term = query.get('term') ?? '';
  const status = statuses.find((candidate) => candidate === query.get('status'));
  const items = useData((signal) => client.items.list({ eventId: event.id, archived: 'all', pageSize: 200 }, { signal }), [event.id]);
  const codes = usePages(
    (cursor, signal) =>
      client.passkeys.list(
        { eventId: event.id, pageSize: 50, ...(term && { term }), ...(status && { status }), ...(cursor && { cursor }) },
        { ...(signal && { signal }) },
      ),
    [event.id, term, status],
  );
  const columns = useColumns(items.data?.data ?? [], setOpened, codes.reload);
  const dialog = { items: items.data?.data ?? [], onClose: () => setOpened(null), reload: codes.reload };
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        {can('passkey.manage') && (
          <>
            <button type="button" class="button" onClick={() => setOpened('new')}>
              <Icon path={icons.plus} />
              {t.add}
            </button>
            <button type="button" class="button plain" onClick={() => setOpened('batch')}>
              {t.batch}
            </button>
          </>
        )}
      </PageHead>
      <div class="filters">
        <SearchFilter label={t.search} />
        <SelectFilter
          name="status"
          label={t.columns.status}
          options={[{ value: '', label: t.anyStatus }, ...statuses.map((value) => ({ value, label: t.status[value] }))]}
        />
      </div>
      <Show of={codes}>
        {(rows) =>
          rows.length === 0 ? (
            <NoCodes isFiltered={term !== '' || status !== undefined} />
          ) : (
            <Table name="access-codes" caption={t.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={codes.more} />
          )
        }
      </Show>
      {opened === 'batch' && <BatchDialog {...dialog} />}
      {opened !== null && opened !== 'batch' && <AccessCodeDialog {...dialog} code={opened === 'new' ? null : opened} />}
    </>
  );
}

function useColumns(items: readonly Item[], edit: (code: AccessCode) => void, reload: () => Promise<void>): Column<AccessCode>[] {
  const { locale } = useConsole();
  const { can } = useEvent();
  const { access: t } = useMessages<CodesMessages>();
  const remove = useRemove(reload);
  const nameOf = (itemId: number) => items.find(({ id }) => id === itemId)?.name ?? String(itemId);
  const period = ({ start, finish }: AccessCode): string =>
    [
      start && fill(t.from, { start: date(start, 'shortMoment', locale) }),
      finish && fill(t.until, { finish: date(finish, 'shortMoment', locale) }),
    ]
      .filter(Boolean)
      .join(' ') || t.always;
  const actions: Column<AccessCode> = {
    key: 'actions',
    label: t.columns.actions,
    align: 'end',
    cell: (code) => (
      <span class="pills">
        <button type="button" class="button plain" aria-label={`${t.edit}: ${code.passkey}`} onClick={() => edit(code)}>
          {t.edit}
        </button>
        <button type="button" class="button plain" aria-label={`${t.remove}: ${code.passkey}`} onClick={() => void remove(code)}>
          {t.remove}
        </button>
      </span>
    ),
  };
  return [
    { key: 'code', label: t.columns.code, sort: ({ passkey }) => passkey, cell: ({ passkey }) => <b>{passkey}</b> },
    { key: 'status', label: t.columns.status, cell: (code) => <span class={`pill ${tones[code.status]}`}>{t.status[code.status]}</span> },
    {
      key: 'used',
      label: t.columns.used,
      align: 'end',
      sort: ({ used }) => used,
      cell: ({ used, limit, held }) =>
        [limit === null ? used : fill(t.used, { used, limit }), held > 0 && fill(t.held, { count: held })]
          .filter((part) => part !== false)
          .join(' · '),
    },
    {
      key: 'items',
      label: t.columns.items,
      cell: ({ itemIds }) => (itemIds.length === 0 ? <span class="pill warn">{t.opensNothing}</span> : itemIds.map(nameOf).join(', ')),
    },
    { key: 'period', label: t.columns.period, optional: true, cell: period },
    ...(can('passkey.manage') ? [actions] : []),
  ];
}

function useRemove(reload: () => Promise<void>) {
  const { client, t: frame, locale } = useConsole();
  const { access: t } = useMessages<CodesMessages>();
  const confirm = useConfirm();
  const toast = useToast();
  return async ({ id, passkey: code, used, held }: AccessCode) => {
    const text = used + held === 0 ? t.removing.unused : plural(locale, t.removing.text, used + held);
    const question = { title: fill(t.removing.title, { code }), text, action: fill(t.removing.action, { code }) };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await client.passkeys.delete({ id });
      toast(fill(t.removing.done, { code }));
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
}

function NoCodes({ isFiltered }: { isFiltered: boolean }) {
  const { event } = useEvent();
  const { access: t } = useMessages<CodesMessages>();
  if (!isFiltered) return <EmptyState icon={icons.key} title={t.none.title} text={t.none.text} />;
  const all = { href: to(`/events/${event.id}/access-codes`), label: t.nothing.clear };
  return <EmptyState icon={icons.search} title={t.nothing.title} text={t.nothing.text} action={all} />;
}

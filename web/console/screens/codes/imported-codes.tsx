import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { CodesMessages } from '../../../messages/console/codes.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData, usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { SearchFilter, SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import type { Item } from './access-code-list.tsx';
import { UploadDialog } from './upload-dialog.tsx';
import './codes.css';

type Code = AnswerOf<'listCodes'>['data'][number];

const statuses = ['available', 'assigned', 'used'] as const;
const tones: Record<Code['status'], string> = { available: 'ok', assigned: 'brand', used: '' };

/** Only items that are sold elsewhere, and items with own codes, have imported codes. */
const hasCodes = ({ type, attributes }: Item): boolean =>
  type === 'external' || attributes.some(({ key, value }) => key === 'customCode' && value === true);

/** Codes that were imported from a file, by ticket. */
export function ImportedCodes({ query }: ScreenProps) {
  const { client } = useConsole();
  const { event, can } = useEvent();
  const { imported: t } = useMessages<CodesMessages>();
  const [isUploading, setUploading] = useState(false);
  const items = useData((signal) => client.items.list({ eventId: event.id, archived: 'all', pageSize: 200 }, { signal }), [event.id]);
  const coded = (items.data?.data ?? []).filter(hasCodes);
  const item = coded.find(({ id }) => String(id) === query.get('itemId')) ?? coded[0];
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        {can('code.manage') && (
          <button type="button" class="button" onClick={() => setUploading(true)}>
            <Icon path={icons.share} size={18} />
            {t.upload}
          </button>
        )}
      </PageHead>
      <Show of={items}>
        {() =>
          item ? (
            <CodesOfItem key={item.id} item={item} items={coded} query={query} />
          ) : (
            <EmptyState icon={icons.copy} title={t.none.title} text={t.none.text} />
          )
        }
      </Show>
      {isUploading && <UploadDialog onClose={() => setUploading(false)} reload={items.reload} />}
    </>
  );
}

interface CodesProps {
  item: Item;
  items: Item[];
  query: URLSearchParams;
}

function CodesOfItem({ item, items, query }: CodesProps) {
  const { client } = useConsole();
  const { can } = useEvent();
  const { imported: t } = useMessages<CodesMessages>();
  const term = query.get('term') ?? '';
  const status = statuses.find((candidate) => candidate === query.get('status'));
  const codes = usePages(
    (cursor, signal) =>
      client.codes.list(
        { itemId: item.id, pageSize: 50, ...(term && { term }), ...(status && { status }), ...(cursor && { cursor }) },
        { ...(signal && { signal }) },
      ),
    // After an upload the list of items is new, and so may be the codes.
    [item, term, status],
  );
  const columns = useColumns(codes.reload);
  const removeAll = useRemoveAll(item, codes.reload);
  return (
    <>
      <div class="filters">
        <SelectFilter
          name="itemId"
          label={t.item}
          options={items.map(({ id, name }, index) => ({ value: index === 0 && !query.get('itemId') ? '' : String(id), label: name }))}
        />
        <SearchFilter label={t.search} />
        <SelectFilter
          name="status"
          label={t.columns.status}
          options={[{ value: '', label: t.anyStatus }, ...statuses.map((value) => ({ value, label: t.status[value] }))]}
        />
        {can('code.manage') && (
          <button type="button" class="button plain" onClick={() => void removeAll()}>
            {t.removeAll}
          </button>
        )}
      </div>
      <Show of={codes}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.copy} title={t.noneOfItem.title} text={t.noneOfItem.text} />
          ) : (
            <Table name="codes" caption={t.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={codes.more} />
          )
        }
      </Show>
    </>
  );
}

function useColumns(reload: () => Promise<void>): Column<Code>[] {
  const { client, t: frame, locale } = useConsole();
  const { event, can } = useEvent();
  const { imported: t } = useMessages<CodesMessages>();
  const confirm = useConfirm();
  const toast = useToast();
  const remove = async ({ itemId, id, code }: Code) => {
    const question = { title: fill(t.removing.one, { code }), text: t.removing.oneText, action: t.removing.oneAction };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await client.codes.deleteOne({ itemId, codeId: id });
      toast(t.removing.oneDone);
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const actions: Column<Code> = {
    key: 'actions',
    label: t.columns.actions,
    align: 'end',
    cell: (code) =>
      code.status === 'available' && (
        <button type="button" class="button plain" aria-label={`${t.remove}: ${code.code}`} onClick={() => void remove(code)}>
          {t.remove}
        </button>
      ),
  };
  return [
    { key: 'code', label: t.columns.code, cell: ({ code }) => <b>{code}</b> },
    { key: 'status', label: t.columns.status, cell: (code) => <span class={`pill ${tones[code.status]}`}>{t.status[code.status]}</span> },
    { key: 'holder', label: t.columns.holder, cell: ({ holder }) => holder.name ?? '–' },
    { key: 'document', label: t.columns.document, optional: 'hidden', cell: ({ holder }) => holder.document ?? '–' },
    {
      key: 'created',
      label: t.columns.created,
      optional: true,
      cell: ({ createdAt }) => instant(createdAt, 'shortMoment', locale, event.timezone),
    },
    ...(can('code.manage') ? [actions] : []),
  ];
}

/** Deletes the codes that belong to no ticket yet. The question says how many these are. */
function useRemoveAll(item: Item, reload: () => Promise<void>) {
  const { client, t: frame, locale } = useConsole();
  const { event } = useEvent();
  const { imported: t } = useMessages<CodesMessages>();
  const confirm = useConfirm();
  const toast = useToast();
  return async () => {
    try {
      const { total = 0 } = await client.codes.list({ itemId: item.id, status: 'available', pageSize: 1, count: true });
      if (total === 0) return toast(t.removing.nothing);
      const question = {
        title: fill(t.removing.all, { item: item.name }),
        text: plural(locale, t.removing.allText, total),
        action: plural(locale, t.removing.allAction, total),
      };
      if (!(await confirm({ ...question, danger: true, typed: item.name }))) return;
      const { deleted } = await client.codes.delete({ eventId: event.id, itemId: item.id, status: 'available' });
      toast(plural(locale, t.removing.done, deleted));
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
}

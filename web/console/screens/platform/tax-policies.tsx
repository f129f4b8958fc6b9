import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { EditPolicy, type PolicyTarget } from './edit-policy.tsx';
import { TaxExample } from './tax-example.tsx';

type Policy = AnswerOf<'listTaxPolicies'>['data'][number];

const percent = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 }).format(value / 100);

const standard = { ratePercent: 10, minimum: 0, taxDistribution: 100 };

const nameOf = ({ event, producer }: Policy): string => event?.title ?? producer.name;

/** What the platform earns: the standard, and the producers and events for which something else was agreed. */
export function TaxPolicies() {
  const { client, locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const [edited, setEdited] = useState<PolicyTarget | 'new' | null>(null);
  const policies = usePages(
    (cursor, signal) => client.tax.policies({ pageSize: 50, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [],
  );
  const remove = useRemove(policies.reload);
  const columns: Column<Policy>[] = [
    {
      key: 'for',
      label: t.tax.for,
      cell: ({ producer, event }) => (
        <span class="two-lines">
          <b>{event?.title ?? producer.name}</b>
          <span class="soft small">{event ? producer.name : t.tax.allEvents}</span>
        </span>
      ),
    },
    { key: 'rate', label: t.tax.rate, cell: ({ ratePercent }) => percent(ratePercent, locale), align: 'end' },
    {
      key: 'minimum',
      label: t.tax.minimum,
      cell: ({ minimum, currency }) => (minimum === 0 ? '–' : money(minimum, currency, locale)),
      align: 'end',
    },
    { key: 'buyer', label: t.tax.buyerPart, cell: ({ taxDistribution }) => percent(taxDistribution, locale), align: 'end' },
    {
      key: 'change',
      label: t.tax.change,
      cell: (row) => (
        <span class="actions">
          <button type="button" class="text-button" aria-label={`${t.tax.change}: ${nameOf(row)}`} onClick={() => setEdited(row)}>
            {t.tax.change}
          </button>
          <button type="button" class="text-button" aria-label={`${t.tax.remove}: ${nameOf(row)}`} onClick={() => void remove(row)}>
            {t.tax.remove}
          </button>
        </span>
      ),
    },
  ];
  return (
    <>
      <PageHead title={t.tiles.tax.title} about={t.tax.about} back={{ href: to('/platform'), label: t.title }}>
        <button type="button" class="button" onClick={() => setEdited('new')}>
          <Icon path={icons.plus} />
          {t.tax.add}
        </button>
      </PageHead>
      <section class="panel">
        <h2>{t.tax.standard}</h2>
        <p>{t.tax.standardText}</p>
        <TaxExample policy={standard} currency="BRL" />
      </section>
      <section class="panel">
        <h2>{t.tax.exceptions}</h2>
        <Show of={policies}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon={icons.receipt} title={t.tax.none.title} text={t.tax.none.text} />
            ) : (
              <Table
                name="tax-policies"
                caption={t.tax.exceptions}
                columns={columns}
                rows={rows}
                rowKey={({ producer, event }) => (event ? `event ${event.id}` : `producer ${producer.id}`)}
                more={policies.more}
              />
            )
          }
        </Show>
      </section>
      {edited && <EditPolicy target={edited === 'new' ? null : edited} onClose={() => setEdited(null)} onDone={policies.reload} />}
    </>
  );
}

/** Removes an agreement, and offers to make it again. */
function useRemove(reload: () => Promise<void>) {
  const { client, t: frame } = useConsole();
  const t = useMessages<PlatformMessages>();
  const toast = useToast();
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
    await reload();
  };
  return (row: Policy) =>
    attempt(async () => {
      const { event, producer, ratePercent, minimum, taxDistribution } = row;
      const policy = { ratePercent, minimum, taxDistribution };
      if (event) await client.tax.removeEventPolicy({ id: event.id });
      else await client.tax.removeProducerPolicy({ id: producer.id });
      const restore = () =>
        event ? client.tax.setEventPolicy({ id: event.id, ...policy }) : client.tax.setProducerPolicy({ id: producer.id, ...policy });
      toast(fill(t.tax.removed, { name: nameOf(row) }), { action: { label: frame.undo, run: () => attempt(restore) } });
    });
}

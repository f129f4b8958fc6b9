import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { type Chore, hasFailed, isLate, isWorkerIdle, lastWork, type SystemHealth } from './trouble.ts';

type Queue = SystemHealth['queues'][number];

/** Whether the parts of the installation work. */
export function Health() {
  const { client } = useConsole();
  const t = useMessages<PlatformMessages>();
  const health = useData((signal) => client.system.health({}, { signal }), []);
  return (
    <>
      <PageHead title={t.tiles.health.title} about={t.health.about} back={{ href: to('/platform'), label: t.title }}>
        <button type="button" class="button plain" onClick={() => void health.reload()}>
          {t.health.refresh}
        </button>
      </PageHead>
      <Show of={health}>
        {(data) => (
          <>
            <Facts health={data} />
            <Queues queues={data.queues} />
            <Housekeeping chores={data.housekeeping} />
          </>
        )}
      </Show>
    </>
  );
}

const bytesText = (bytes: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }).format(bytes / 1_048_576);

function Facts({ health }: { health: SystemHealth }) {
  const { locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const { release, node, database } = health;
  const last = lastWork(health);
  const isIdle = isWorkerIdle(health, Date.now());
  return (
    <section class="panel">
      <h2>{t.health.installation}</h2>
      <dl class="facts">
        <dt>{t.health.release}</dt>
        <dd>
          Tessera {release} · Node.js {node.replace(/^v/, '')}
        </dd>
        <dt>{t.health.database}</dt>
        <dd>
          PostgreSQL {database.version} · {bytesText(database.bytes, locale)} · {t.health[database.role]}
        </dd>
        <dt>{t.health.replicas}</dt>
        <dd>
          {database.replicas.length === 0
            ? t.health.noReplicas
            : database.replicas.map(({ name, state, lagSeconds }) => (
                <p key={name}>
                  {name} · {state ?? '–'} · {fill(t.health.lag, { seconds: lagSeconds ?? 0 })}
                </p>
              ))}
        </dd>
        <dt>{t.health.worker}</dt>
        <dd>
          <span class={`pill ${isIdle ? 'bad' : 'ok'}`}>{isIdle ? t.health.idle : t.health.running}</span>{' '}
          {last && fill(t.health.lastWork, { time: instant(last, 'yearMoment', locale) })}
        </dd>
        <dt>{t.health.audit}</dt>
        <dd>
          {t.health.auditText} <code>npx tessera audit</code>
        </dd>
      </dl>
    </section>
  );
}

function Queues({ queues }: { queues: readonly Queue[] }) {
  const { locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const state = (queue: Queue) => {
    if (queue.failed > 0) return <span class="pill bad">{t.health.needsYou}</span>;
    if (isLate(queue, Date.now())) return <span class="pill warn">{t.health.late}</span>;
    return <span class="pill ok">{t.health.fine}</span>;
  };
  const columns: Column<Queue>[] = [
    { key: 'name', label: t.health.queue, cell: ({ name }) => t.queues[name] },
    { key: 'state', label: t.state, cell: state },
    { key: 'waiting', label: t.health.waiting, cell: ({ waiting }) => waiting, align: 'end' },
    { key: 'failed', label: t.health.failed, cell: ({ failed }) => failed, align: 'end' },
    { key: 'oldest', label: t.health.oldest, cell: ({ oldest }) => (oldest ? instant(oldest, 'yearMoment', locale) : '–') },
  ];
  return (
    <section class="panel">
      <h2>{t.health.queues}</h2>
      <Table name="queues" caption={t.health.queues} columns={columns} rows={queues} rowKey={({ name }) => name} />
    </section>
  );
}

function Housekeeping({ chores }: { chores: readonly Chore[] }) {
  const { locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const time = (at: string | null) => (at ? instant(at, 'yearMoment', locale) : '–');
  const columns: Column<Chore>[] = [
    { key: 'kind', label: t.health.kind, cell: ({ kind }) => <code>{kind}</code> },
    { key: 'removed', label: t.health.removed, cell: ({ removed }) => removed, align: 'end' },
    { key: 'done', label: t.health.done, cell: ({ lastDoneAt }) => time(lastDoneAt) },
    {
      key: 'failed',
      label: t.health.failures,
      cell: ({ failures, lastError }) => (failures === 0 ? '–' : `${failures}: ${lastError ?? ''}`),
    },
  ];
  return (
    <details class="panel platform-details" open={chores.some(hasFailed)}>
      <summary>
        {t.health.housekeeping} · {plural(locale, t.health.kinds, chores.length)}
      </summary>
      <p class="soft">{t.health.housekeepingText}</p>
      <Table name="housekeeping" caption={t.health.housekeeping} columns={columns} rows={chores} rowKey={({ kind }) => kind} />
    </details>
  );
}

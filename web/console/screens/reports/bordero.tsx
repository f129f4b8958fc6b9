import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { ReportsMessages } from '../../../messages/console/reports.en.ts';
import { fill } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Figures } from '../../parts/figures.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { errorText, Show } from '../../parts/show.tsx';
import { BorderoTables } from './bordero-tables.tsx';
import { ReportHead, useSession } from './report-head.tsx';

export type BorderoData = AnswerOf<'getBordero'>;

/** The settlement of the event, on screen, on paper and as a file. */
export function Bordero({ query }: ScreenProps) {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<ReportsMessages>();
  const { event } = useEvent();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const session = useSession(query);
  const report = useData((signal) => client.reports.bordero({ eventId: event.id, ...session }, { signal }), [event.id, session.sessionId]);
  const created = report.data && new Date(report.data.generatedAt).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const download = async () => {
    setBusy(true);
    try {
      const response = await client.reports.borderoPdf({ eventId: event.id, locale, ...session });
      saveFile(await response.blob(), `bordero-${event.link}.pdf`);
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
    setBusy(false);
  };
  return (
    <>
      <ReportHead current="bordero" about={created && `${event.title} · ${fill(t.bordero.about, { time: created })}`}>
        <button type="button" class="button" aria-busy={isBusy} onClick={() => void download()}>
          <Icon path={icons.share} size={18} />
          {t.bordero.pdf}
        </button>
        <button type="button" class="button plain" onClick={() => print()}>
          {t.bordero.print}
        </button>
      </ReportHead>
      <Show of={report}>
        {(data) => (
          <>
            <Totals report={data} />
            <BorderoTables report={data} />
            <section class="panel">
              <h2>{t.bordero.hash}</h2>
              <p class="soft">{t.bordero.hashNote}</p>
              <code class="reports-hash">{data.hash}</code>
            </section>
          </>
        )}
      </Show>
    </>
  );
}

function Totals({ report: { totals, currency } }: { report: BorderoData }) {
  const { locale } = useConsole();
  const { bordero: t } = useMessages<ReportsMessages>();
  const count = new Intl.NumberFormat(locale);
  return (
    <Figures
      of={[
        {
          label: t.sold,
          value: count.format(totals.sold + totals.courtesy),
          note: totals.offered === null ? undefined : fill(t.offered, { count: count.format(totals.offered) }),
        },
        { label: t.refunded, value: count.format(totals.refunded), note: t.refundedNote },
        { label: t.gross, value: money(totals.gross, currency, locale), note: t.grossNote },
        { label: t.net, value: money(totals.net, currency, locale), note: t.netNote },
      ]}
    />
  );
}

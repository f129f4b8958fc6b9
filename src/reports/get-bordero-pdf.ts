import type { Act } from '../kernel/act.ts';
import { type Locale, localeOfCurrency } from '../kernel/locale.ts';
import type { GeneratedFile } from '../kernel/route.ts';
import type { Tx } from '../postgres/database.ts';
import { getBordero } from './bordero.ts';
import { borderoPdf } from './pdf/bordero-pdf.ts';

interface BorderoFileQuery {
  sessionId?: number;
  locale?: Locale;
}

export async function getBorderoPdf(tx: Tx, act: Act, eventId: number, { sessionId, locale }: BorderoFileQuery): Promise<GeneratedFile> {
  const report = await getBordero(tx, act, eventId, sessionId ?? null);
  return borderoPdf(report, locale ?? localeOfCurrency(report.currency));
}

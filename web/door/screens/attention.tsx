import { fill } from '../../messages/fill.ts';
import type { ScanRow } from '../scan-log.ts';
import { useApp } from './context.ts';
import { Sheet } from './sheet.tsx';

/** Entries that the server disagrees with. Each is worked off by hand, because the guest is already inside. */
export function AttentionList({ close }: { close: () => void }) {
  const { door, t, state, time } = useApp();
  return (
    <Sheet title={t.attention.title} close={close}>
      {state.attention.length === 0 && <p class="soft">{t.attention.none}</p>}
      <ul class="cards">
        {state.attention.map((row) => (
          <li key={row.nonce}>
            <p>
              <strong>{t.attention[row.attention ?? 'refused']}</strong>
              <span>{[row.server?.holder, row.server?.item ?? row.local?.item].filter(Boolean).join(' · ')}</span>
              <Reason row={row} />
              <span class="soft">{fill(t.attention.entered, { time: time(row.at) })}</span>
            </p>
            <button class="button secondary" type="button" onClick={() => void door.checkIns.settle(row)}>
              {t.attention.done}
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function Reason({ row: { attention, server } }: { row: ScanRow }) {
  const { t, time } = useApp();
  if (attention === 'refunded') return <span>{t.attention.refundedText}</span>;
  if (attention === 'rejected') return <span>{t.attention.rejectedText}</span>;
  if (attention === 'double' && server?.used) {
    const { at, gate } = server.used;
    return <span>{fill(t.attention.doubleText, { time: time(Date.parse(at)), gate: gate ?? t.attention.anotherGate })}</span>;
  }
  return server && <span>{fill(t.attention.refusedText, { reason: t.answer[server.result] })}</span>;
}

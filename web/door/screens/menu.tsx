import { fill } from '../../messages/fill.ts';
import { useApp } from './context.ts';
import { SaveScans } from './save-scans.tsx';
import { Sheet } from './sheet.tsx';

export function Menu({ close }: { close: () => void }) {
  const { door, t, state, time, update } = useApp();
  const seconds = Math.round(door.clock.offset / 1_000);
  return (
    <Sheet title={t.menu.title} close={close}>
      {update && (
        <button class="button wide" type="button" onClick={update}>
          {t.menu.update}
        </button>
      )}
      <Numbers />
      <label class="switch">
        <input type="checkbox" checked={!state.silent} onChange={(event) => void door.setSilent(!event.currentTarget.checked)} />
        {t.menu.sound}
      </label>
      <button class="button secondary wide" type="button" onClick={() => door.changeChoice()}>
        {t.menu.change}
      </button>
      <h3>{t.menu.device}</h3>
      <p class="soft">{Math.abs(seconds) < 2 ? t.menu.clockFine : fill(t.menu.clock, { seconds: Math.abs(seconds) })}</p>
      {state.manifestAt !== null && <p class="soft">{fill(t.menu.tickets, { time: time(state.manifestAt) })}</p>}
      {state.waiting > 0 && <SaveScans />}
      <button class="text-button" type="button" onClick={() => void door.signOut()}>
        {t.menu.signOut}
      </button>
      {state.waiting > 0 && <p class="soft small">{t.menu.signOutWaiting}</p>}
    </Sheet>
  );
}

/** How the entrance is going: entries by gate, and as one bar per minute. */
function Numbers() {
  const { t, state, locale } = useApp();
  const { counters } = state;
  if (!counters) return null;
  const number = (n: number) => new Intl.NumberFormat(locale).format(n);
  const most = Math.max(1, ...counters.minutes.map(({ admitted }) => admitted));
  // The current minute has only begun.
  const lastMinute = counters.minutes.at(-2)?.admitted ?? 0;
  return (
    <>
      {counters.gates.length > 0 && <h3>{t.menu.perGate}</h3>}
      <dl class="numbers">
        {counters.gates.map(({ gate, admitted }) => (
          <div key={gate}>
            <dt>{gate}</dt>
            <dd>{number(admitted)}</dd>
          </div>
        ))}
      </dl>
      <h3>{t.menu.perMinute}</h3>
      <div class="minutes" aria-hidden="true">
        {counters.minutes.map(({ minute, admitted }) => (
          <i key={minute} style={{ height: `${(100 * admitted) / most}%` }} />
        ))}
      </div>
      <p class="soft">
        {number(lastMinute)} {t.menu.lastMinute}
      </p>
    </>
  );
}

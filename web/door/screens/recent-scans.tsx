import { useEffect, useState } from 'preact/hooks';
import { plural } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import type { Answer } from '../answer.ts';
import { undoMs } from '../check-ins.ts';
import { useApp } from './context.ts';
import * as doorIcons from './icons.ts';
import { toneOf } from './tone.ts';

const iconOf = { ok: icons.check, warn: icons.clock, bad: doorIcons.cross };

/** The counters in one line, and the last scans. */
export function RecentScans() {
  const { t, state } = useApp();
  return (
    <>
      <Counters />
      <h2 class="visually-hidden">{t.scan.recent}</h2>
      {state.recent.length === 0 && <p class="soft nothing">{t.scan.nothing}</p>}
      <ol class="recent">
        {state.recent.map((answer) => (
          <RecentScan key={answer.id} answer={answer} />
        ))}
      </ol>
    </>
  );
}

function Counters() {
  const { t, state, locale } = useApp();
  const { counters, counts, waiting, offlineSince } = state;
  const shown = offlineSince === null ? (counters ?? counts) : counts;
  const number = (n: number) => new Intl.NumberFormat(locale).format(n);
  return (
    <p class="counters">
      {shown && (
        <span>
          <strong>{number(shown.inside)}</strong> {t.scan.inside}
        </span>
      )}
      {shown && (
        <span>
          <strong>{number(shown.expected)}</strong> {t.scan.expected}
        </span>
      )}
      {waiting > 0 && <span class="pill warn">{plural(locale, t.scan.waiting, waiting)}</span>}
    </p>
  );
}

function RecentScan({ answer }: { answer: Answer }) {
  const { door, t, state, time } = useApp();
  const [canUndo, setCanUndo] = useState(false);
  const isUndone = state.undone.has(answer.id);
  const counts = answer.result === 'admitted' || answer.result === 'exited';
  useEffect(() => {
    const left = answer.at + undoMs - door.clock.now();
    setCanUndo(counts && left > 0);
    const timer = setTimeout(() => setCanUndo(false), Math.max(0, left));
    return () => clearTimeout(timer);
  }, [answer.id]);
  const tone = toneOf(answer);
  return (
    <li class={isUndone ? 'undone' : tone} data-scan={answer.id} data-result={answer.result}>
      <Icon path={isUndone ? icons.undo : iconOf[tone]} size={22} />
      <span class="recent-text">
        <strong>{isUndone ? t.scan.undone : t.answer[answer.result]}</strong>
        <span class="soft">{[answer.holder, answer.item].filter(Boolean).join(' · ') || time(answer.at)}</span>
      </span>
      {canUndo && !isUndone ? (
        <button class="button secondary small" type="button" onClick={() => void door.checkIns.undo(answer)}>
          {t.scan.undo}
        </button>
      ) : (
        <span class="soft small">{time(answer.at)}</span>
      )}
    </li>
  );
}

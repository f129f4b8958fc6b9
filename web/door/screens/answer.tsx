import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { fill } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import type { Answer } from '../answer.ts';
import { giveFeedback } from '../feedback.ts';
import { useApp } from './context.ts';
import * as doorIcons from './icons.ts';
import { toneOf } from './tone.ts';

/** How long an answer covers the screen. A tap keeps it. */
const answerMs = 1_200;

const iconOf = { ok: icons.check, warn: icons.clock, bad: doorIcons.cross };

/** `onKeep` tells the camera to wait while the answer is kept. */
interface AnswerScreenProps {
  answer: Answer;
  scannedAt: number;
  onKeep: (isKept: boolean) => void;
}

/** Covers the screen with the answer: colour, icon, word, sound and vibration. */
export function AnswerScreen({ answer, scannedAt, onKeep }: AnswerScreenProps) {
  const { door, t, state } = useApp();
  const [isKept, setKept] = useState(false);
  const keep = (kept: boolean) => {
    setKept(kept);
    onKeep(kept);
  };
  const close = () => {
    keep(false);
    door.state.set({ answer: null });
  };
  useEffect(() => {
    const timer = isKept ? undefined : setTimeout(close, answerMs);
    return () => clearTimeout(timer);
  }, [answer.id, isKept]);
  const tone = toneOf(answer);
  useLayoutEffect(() => {
    keep(false);
    giveFeedback(tone, state.silent);
    // The next frame of the screen shows the answer. Tests and the tools of the browser read this time.
    requestAnimationFrame(() => performance.measure('frame to answer', { start: scannedAt }));
  }, [answer.id]);
  const word = answer.note === 'disputed' ? t.answer.disputed : t.answer[answer.result];
  return (
    <button type="button" class={`answer ${tone}`} data-result={answer.result} onClick={() => (isKept ? close() : keep(true))}>
      <Icon path={iconOf[tone]} size={140} />
      <span class="answer-word">{word}</span>
      <AnswerFacts answer={answer} />
      <span class="answer-hint">{isKept ? t.answer.close : t.answer.keep}</span>
    </button>
  );
}

function AnswerFacts({ answer }: { answer: Answer }) {
  const { t, state, time } = useApp();
  const { result, note, holder, item, session, used, halfPrice, offline } = answer;
  const rating = Number(state.info?.event.ageRating ?? 0) || 0;
  const explanation = {
    noData: t.answer.noDataText,
    storageFull: t.answer.storageFullText,
    refunded: note === 'disputed' ? t.answer.disputedText : null,
  }[result as string];
  const isAdmitted = result === 'admitted';
  return (
    <>
      {holder && <span class="answer-holder">{holder}</span>}
      {item && <span class="answer-item">{session ? `${item} · ${session}` : item}</span>}
      {explanation && <span class="answer-item">{explanation}</span>}
      {used && (
        <span class="answer-item">
          {used.gate ? fill(t.answer.usedAt, { time: time(used.at), gate: used.gate }) : fill(t.answer.used, { time: time(used.at) })}
        </span>
      )}
      {isAdmitted && halfPrice && <span class="answer-notice">{t.answer.halfPrice}</span>}
      {isAdmitted && rating > 0 && <span class="answer-notice">{fill(t.answer.age, { rating })}</span>}
      {offline && result !== 'noData' && <span class="answer-offline">{t.answer.offline}</span>}
    </>
  );
}

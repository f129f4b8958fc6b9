import { useEffect, useRef, useState } from 'preact/hooks';
import { readCode } from '../../../src/tickets/read-code.ts';
import type { OnFrame } from '../camera.ts';
import { CodesInView } from '../codes-in-view.ts';
import { listenToKeyboardScanner } from '../keyboard-scanner.ts';
import { keepScreenOn } from '../wake-lock.ts';
import { AnswerScreen } from './answer.tsx';
import { BottomBar, type PanelName } from './bottom-bar.tsx';
import { useApp } from './context.ts';
import { NetworkBanner } from './network-banner.tsx';
import { Panel } from './panel.tsx';
import { RecentScans } from './recent-scans.tsx';
import { toneOf } from './tone.ts';
import { Viewfinder } from './viewfinder.tsx';

/** The screen of the steward: the camera above, what happened below. */
export function Scan() {
  const { state, t } = useApp();
  const [panel, setPanel] = useState<PanelName | null>(null);
  const { scan, onFrame, isKept, scannedAt } = useScanner();
  useEffect(keepScreenOn, []);
  useEffect(() => listenToKeyboardScanner(scan), []);
  const close = () => setPanel(null);
  return (
    <main class="scan">
      <h1 class="visually-hidden">{state.info?.event.title}</h1>
      <Viewfinder onFrame={onFrame} />
      <div class="place">
        <span>{[state.choice?.gate, state.info?.event.title].filter(Boolean).join(' · ')}</span>
        {state.info?.event.reentry !== 'none' && <DirectionSwitch />}
      </div>
      <NetworkBanner />
      <section class="below">
        <RecentScans />
        <BottomBar open={setPanel} />
      </section>
      {panel === 'type' && <Panel name="TypeCode" props={{ scan, close }} />}
      {panel === 'search' && <Panel name="SearchGuest" props={{ close }} />}
      {panel === 'attention' && <Panel name="AttentionList" props={{ close }} />}
      {panel === 'menu' && <Panel name="Menu" props={{ close }} />}
      <div role="status" aria-live="assertive" aria-label={t.scan.recent}>
        {state.answer && (
          <AnswerScreen
            answer={state.answer}
            scannedAt={scannedAt.current}
            onKeep={(kept) => {
              isKept.current = kept;
            }}
          />
        )}
      </div>
    </main>
  );
}

/** Decides one code after the other. */
function useScanner() {
  const { door } = useApp();
  const queue = useRef(Promise.resolve());
  const waiting = useRef(0);
  const lastText = useRef('');
  const isKept = useRef(false);
  const inView = useRef(new CodesInView());
  /** When the camera showed the code of the last scan. */
  const scannedAt = useRef(0);
  const decide = async (text: string, seenAt: number): Promise<void> => {
    // A hand-held scanner may read the same code twice. The second answer must not replace the first.
    if (door.state.value.answer && text === lastText.current) return;
    lastText.current = text;
    scannedAt.current = seenAt;
    await door.checkIns.scan(text);
  };
  const scan = (text: string, seenAt = performance.now()): void => {
    waiting.current++;
    queue.current = queue.current
      .then(() => decide(text, seenAt))
      // An error must not stop the scans after it.
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        waiting.current--;
      });
  };
  const onFrame: OnFrame = (texts, seenAt) => {
    const fresh = inView.current.see(texts, performance.now());
    const shown = door.state.value.answer;
    // Good news stays for its time. A refusal makes way for the next code at once.
    const mustWait = waiting.current > 0 || isKept.current || (shown !== null && toneOf(shown) === 'ok');
    const next = ticketsFirst(fresh, door.state.value.choice?.eventId)[0];
    if (mustWait || next === undefined) return;
    inView.current.announce(next);
    scan(next, seenAt);
  };
  return { scan, onFrame, isKept, scannedAt };
}

/** A poster with a QR code behind the guest must not be read before the ticket. */
const ticketsFirst = (texts: readonly string[], eventId: number | undefined): string[] => {
  const isTicket = (text: string) => readCode(text)?.claim.eventId === eventId;
  return texts.toSorted((a, b) => Number(isTicket(b)) - Number(isTicket(a)));
};

function DirectionSwitch() {
  const { door, state, t } = useApp();
  return (
    <fieldset class="direction">
      <legend class="visually-hidden">{t.scan.direction}</legend>
      {(['in', 'out'] as const).map((direction) => (
        <label key={direction}>
          <input type="radio" name="direction" checked={state.direction === direction} onChange={() => door.state.set({ direction })} />
          {direction === 'in' ? t.scan.directionIn : t.scan.directionOut}
        </label>
      ))}
    </fieldset>
  );
}

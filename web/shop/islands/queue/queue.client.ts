import type { Queue, QueuePlace } from '../../../../src/waiting-room/contract.ts';
import { fill } from '../../../messages/fill.ts';
import type { QueueData } from '../../pages/queue-data.ts';
import { createClock } from '../order/clock.ts';
import { startCopy } from '../order/copy.ts';
import { countdownText, progressOf } from './progress.ts';
import { startSound } from './sound.ts';

/** Visitors ask at different times, so that they do not all come at once. A hidden tab asks less often. */
const pollMs = { visible: 4_000, hidden: 12_000, spread: 2_000 };
const drawSpreadMs = 3_000;
const announceMs = 60_000;

/** The script of the waiting room. Without it the page loads itself again every 20 seconds. */
function start(data: QueueData): void {
  const { t, locale, eventId } = data;
  const clock = createClock(data.now);
  const sound = startSound(document.querySelector('[data-sound]'), t.soundOn);
  const title = document.title;
  let { queue, place } = data;
  let announcedAt = -announceMs;
  let isAsking = false;
  let isOver = false;

  const set = (name: string, text: string): void => {
    const element = document.querySelector(`[data-${name}]`);
    if (element && element.textContent !== text) element.textContent = text;
  };

  function announce(text: string): void {
    if (performance.now() - announcedAt < announceMs) return;
    announcedAt = performance.now();
    set('announce', text);
  }

  function show(): void {
    if (isOver) return;
    if (place === null) return showDraw();
    const progress = progressOf(place, queue, clock.now(), { t, locale });
    set('ahead', progress.aheadText);
    set('wait', progress.waitText);
    document.querySelector<HTMLProgressElement>('[data-progress]')?.setAttribute('value', progress.percent.toFixed(1));
    document.querySelector('[data-paused]')?.toggleAttribute('hidden', queue.state !== 'paused');
    document.title = `${progress.waitText} · ${title}`;
    announce(`${progress.aheadText} ${t.wait}: ${progress.waitText}`);
    if (progress.isTurn) enter();
  }

  function showDraw(): void {
    const left = Date.parse(queue.opensAt) - clock.now();
    set('opens', left > 0 ? fill(t.opensIn, { time: countdownText(left) }) : t.drawing);
    document.title = `${left > 0 ? countdownText(left) : t.drawing} · ${title}`;
    if (left <= 0 && !isAsking) {
      isAsking = true;
      setTimeout(() => void askPlace(), Math.random() * drawSpreadMs);
    }
  }

  /** After the draw the page is built again with the place, by the server. */
  async function askPlace(): Promise<void> {
    const response = await fetch(`/v1/queue/${eventId}/place`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket: data.ticket }),
    }).catch(() => null);
    isAsking = false;
    if (response?.status === 422 || response?.status === 404) return location.reload();
    if (!response?.ok) return;
    clock.sync(response.headers.get('date'));
    const answer = (await response.json()) as QueuePlace;
    if (answer.place === null) return;
    place = answer.place;
    set('number-label', t.yourPlace);
    set('number', new Intl.NumberFormat(locale).format(place));
    document.querySelector('[data-before]')?.setAttribute('hidden', '');
    document.querySelector('[data-waiting]')?.removeAttribute('hidden');
    await poll();
    show();
  }

  /** The server sets the admission as a cookie, so the page is loaded again. The sound must end first. */
  function enter(): void {
    isOver = true;
    sound.play();
    document.title = `● ${t.turnTitle}`;
    set('announce', t.turnTitle);
    setTimeout(() => location.reload(), 1_200 + Math.random() * 800);
  }

  async function poll(): Promise<void> {
    const response = await fetch(`/v1/queue/${eventId}`).catch(() => null);
    if (response?.status === 404) return location.reload();
    if (!response?.ok) return;
    clock.sync(response.headers.get('date'));
    queue = (await response.json()) as Queue;
  }

  function pollLater(): void {
    const wait = document.hidden ? pollMs.hidden : pollMs.visible;
    setTimeout(() => void poll().then(() => isOver || pollLater()), wait + Math.random() * pollMs.spread);
  }

  setInterval(show, 1_000);
  pollLater();
  show();
}

/** The page says that it is the visitor's turn. It goes to the tickets as soon as the visitor looks at it. */
function goWhenSeen(address: string, turnTitle: string): void {
  document.title = `● ${turnTitle}`;
  const go = () => {
    if (!document.hidden) setTimeout(() => location.assign(address), 4_000);
  };
  document.addEventListener('visibilitychange', go, { once: true });
  go();
}

const data = JSON.parse(document.getElementById('queue-data')?.textContent ?? 'null') as QueueData | null;
if (data) {
  startCopy(data.t.copied);
  if (data.state === 'admitted') goWhenSeen(data.tickets, data.t.turnTitle);
  else start(data);
}
// Tests wait for this mark.
document.documentElement.dataset.live = 'true';

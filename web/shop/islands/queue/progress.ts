import type { Queue } from '../../../../src/waiting-room/contract.ts';
import type { Messages } from '../../../messages/catalogues.ts';
import { fill, plural } from '../../../messages/fill.ts';

type Texts = Messages['queue'];

const minuteMs = 60_000;

/** Places up to this one are admitted at this time. The server computes the same. */
function watermarkAt({ watermark: { place, at, perMinute } }: Pick<Queue, 'watermark'>, now: number): number {
  return place + (perMinute * Math.max(0, now - Date.parse(at))) / minuteMs;
}

/** The rate can change, so the wait is a range. It is wider towards the longer wait, which would annoy more. */
const range = { from: 0.85, to: 1.3 };

export interface Progress {
  isTurn: boolean;
  aheadText: string;
  waitText: string;
  /** From 0 to 100. */
  percent: number;
}

/** What the page shows about a place at this time. The server and the script of the page use the same function. */
export function progressOf(place: number, queue: Queue, now: number, { t, locale }: { t: Texts; locale: string }): Progress {
  const reached = watermarkAt(queue, now);
  const ahead = Math.max(0, place - 1 - Math.floor(reached));
  const begun = queue.draw.first - 1;
  return {
    isTurn: queue.state !== 'before' && Math.floor(reached) >= place,
    aheadText: ahead === 0 ? t.next : plural(locale, t.ahead, ahead),
    waitText: waitText(place - reached, queue, t, locale),
    percent: Math.max(0, Math.min(100, (100 * (reached - begun)) / Math.max(1, place - begun))),
  };
}

function waitText(places: number, { watermark: { perMinute } }: Queue, t: Texts, locale: string): string {
  if (perMinute === 0) return t.unknown;
  const minutes = Math.max(0, places) / perMinute;
  const [from, to] = [Math.floor(minutes * range.from), Math.ceil(minutes * range.to)];
  const number = new Intl.NumberFormat(locale);
  return to <= 1 ? t.soon : fill(t.range, { from: number.format(Math.max(1, from)), to: number.format(Math.max(2, to)) });
}

/** Hours, minutes and seconds, such as `1:05:09`. */
export function countdownText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

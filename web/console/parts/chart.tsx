import { useEffect, useRef, useState } from 'preact/hooks';
import { date } from '../../ui/format.ts';
import { useConsole } from '../app/console.ts';
import type { drawPlot } from './plot.ts';
import './chart.css';

export interface ChartPoint {
  /** A local time of the event: `2026-12-12 21:00:00`. */
  start: string;
  value: number;
}

interface ChartProps {
  points: readonly ChartPoint[];
  by: 'hour' | 'day';
  /** The text for a point, shown while the pointer is at it. */
  describe: (point: ChartPoint) => string;
}

const seconds = (start: string): number => Date.parse(`${start.replace(' ', 'T')}Z`) / 1000;
const wallClock = (time: number): string => new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** Bars over time. Screen readers skip it: show the same data as a table too. The library is loaded when a chart is shown. */
export function Chart({ points, by, describe }: ChartProps) {
  const { locale } = useConsole();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<ReturnType<typeof drawPlot> | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const times = points.map(({ start }) => seconds(start));
  const values = points.map(({ value }) => value);
  const latest = useRef({ times, values });
  latest.current = { times, values };
  useEffect(() => {
    let isGone = false;
    const axisTexts = (splits: readonly number[]) =>
      splits.map((time) => {
        const text = wallClock(time);
        return by === 'hour' && !text.endsWith('00:00:00') ? date(text, 'time', locale) : date(text, 'shortDay', locale);
      });
    const start = async () => {
      const { drawPlot } = await import('./plot.ts');
      if (!isGone && box.current) plot.current = drawPlot(box.current, { ...latest.current, axisTexts, onPoint: setIndex });
    };
    void start();
    return () => {
      isGone = true;
      plot.current?.end();
      plot.current = null;
    };
  }, [by, locale]);
  const content = JSON.stringify([times, values]);
  useEffect(() => plot.current?.update(times, values), [content]);
  const pointed = index === null ? undefined : points[index];
  return (
    <div class="chart" aria-hidden="true">
      <p class="chart-point small soft">{pointed ? describe(pointed) : '\u00A0'}</p>
      <div ref={box} class="chart-box" />
    </div>
  );
}

const hourMs = 3_600_000;
const lengthOf = { hour: hourMs, day: 24 * hourMs };
const fewest = { hour: 24, day: 14 };

/** Adds the hours or days without a value, from the first one to `last`. A few points would make a chart of a single block, so it starts earlier. */
export function withoutGaps(known: readonly ChartPoint[], by: 'hour' | 'day', last: string, least = fewest[by]): ChartPoint[] {
  const [step, end] = [lengthOf[by] / 1000, seconds(last)];
  const first = Math.min(seconds(known[0]?.start ?? last), end - (least - 1) * step);
  const byStart = new Map(known.map(({ start, value }) => [start, value]));
  const points: ChartPoint[] = [];
  for (let time = first; time <= end; time += step) points.push({ start: wallClock(time), value: byStart.get(wallClock(time)) ?? 0 });
  return points;
}

/** The start of the current hour or day at the event. */
export function currentStart(by: 'hour' | 'day', timezone: string): string {
  // Swedish writes a time as the API does.
  const now = new Date().toLocaleString('sv-SE', { timeZone: timezone });
  return by === 'hour' ? `${now.slice(0, 13)}:00:00` : `${now.slice(0, 10)} 00:00:00`;
}

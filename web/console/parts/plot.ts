import Plot, { type AlignedData } from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface PlotOptions {
  /** Times in seconds, and the value at each time. */
  times: readonly number[];
  values: readonly number[];
  /** The text below the axis for each of these times. */
  axisTexts: (times: readonly number[]) => string[];
  /** Called with the index of the bar that the pointer is at, or null. */
  onPoint: (index: number | null) => void;
}

const height = 220;

/** Reads a colour of the design as the browser has resolved it, because a canvas does not know variables. */
function colorOf(box: HTMLElement, name: string): string {
  box.style.color = `var(${name})`;
  const { color } = getComputedStyle(box);
  box.style.color = '';
  return color;
}

/** Draws bars. Returns a function that changes the data, and one that ends the drawing. */
export function drawPlot(box: HTMLElement, { times, values, axisTexts, onPoint }: PlotOptions) {
  const step = (times[1] ?? 0) - (times[0] ?? 0);
  const grid = { stroke: () => colorOf(box, '--line'), width: 1 };
  const text = { stroke: () => colorOf(box, '--ink-soft'), font: '12px system-ui, sans-serif', ticks: { show: false } };
  const bars = Plot.paths.bars?.({ size: [0.72, 36], radius: 0.15 });
  const data = (x: readonly number[], y: readonly number[]): AlignedData => [[...x], [...y]];
  const plot = new Plot(
    {
      width: box.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      // The times are local times of the event, written as if they were UTC.
      tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: {
        // The first and the last bar stand beside the edge, not on it.
        x: { range: (_plot, min, max) => [min - step / 2, max + step / 2] },
        y: { range: (_plot, _min, max) => [0, Math.max(4, Math.ceil(max * 1.1))] },
      },
      series: [{}, { fill: () => colorOf(box, '--brand'), width: 0, ...(bars && { paths: bars }), points: { show: false } }],
      axes: [
        { ...text, grid: { show: false }, values: (_plot, splits) => axisTexts(splits), space: 90, size: 30 },
        { ...text, grid, size: 48, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] },
      ],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    },
    data(times, values),
    box,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }));
  observer.observe(box);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => plot.redraw();
  scheme.addEventListener('change', redraw);
  return {
    update: (x: readonly number[], y: readonly number[]) => plot.setData(data(x, y)),
    end: () => {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.destroy();
    },
  };
}

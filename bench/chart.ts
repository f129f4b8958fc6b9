import { type Figure, reaches } from './figures.ts';
import type { Result } from './measure.ts';

const width = 760;
const rowHeight = 44;
const barLeft = 330;
const barWidth = 360;
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns an SVG with a bar for each figure. If the bar crosses the line, the figure reaches its bound `must`. */
export function drawChart(figures: readonly Figure[], results: Readonly<Record<string, Pick<Result, 'value'>>>): string {
  const values = figures.flatMap((figure) => {
    const value = results[figure.id]?.value;
    return value === undefined ? [] : [{ figure, value }];
  });
  const height = values.length * rowHeight + 60;
  const must = barLeft + barWidth / 3;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
<line x1="${must}" y1="24" x2="${must}" y2="${height - 24}" stroke="#444" stroke-dasharray="4 3"/>
<text x="${must}" y="18" text-anchor="middle" fill="#444">must</text>
${values.map(({ figure, value }, row) => drawRow(figure, value, row)).join('\n')}
<text x="8" y="${height - 8}" fill="#777" font-size="11">Longer is better. The line is what each figure must reach. The scale is logarithmic.</text>
</svg>
`;
}

function drawRow(figure: Figure, value: number, row: number): string {
  const { id, title, unit, must, aim, sign } = figure;
  const y = 32 + row * rowHeight;
  // The length of the bar shows the ratio of the value to `must`, on a logarithmic scale from 0.1 to 100. A larger ratio is better.
  const better = sign === '≥' ? value / must : must / value;
  const share = Math.min(1, Math.max(0.02, (Math.log10(better) + 1) / 3));
  const color = !reaches(figure, value, must) ? '#c0392b' : reaches(figure, value, aim) ? '#1e8449' : '#7dbb6a';
  const shown = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return `<text x="8" y="${y + 16}"><tspan font-weight="600">${id}</tspan> ${escape(title)}</text>
<rect x="${barLeft}" y="${y + 2}" width="${(share * barWidth).toFixed(1)}" height="20" rx="3" fill="${color}"/>
<text x="${barLeft + share * barWidth + 6}" y="${y + 17}">${shown}${unit}</text>`;
}

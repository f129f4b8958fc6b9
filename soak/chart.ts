import type { Sample } from './memory.ts';

const [width, height, left, top] = [760, 300, 50, 30];

/** Returns an SVG with the live and the resident memory over time. Vertical lines are kills. */
export function drawMemory(samples: readonly Sample[], kills: readonly number[]): string {
  const end = samples.at(-1)?.seconds ?? 1;
  const most = Math.max(...samples.map(({ resident, live }) => Math.max(resident, live)), 1);
  const x = (seconds: number) => (left + (seconds / end) * (width - left - 10)).toFixed(1);
  const y = (mib: number) => (height - 30 - (mib / most) * (height - 30 - top)).toFixed(1);
  const line = (name: 'live' | 'resident', color: string) =>
    `<polyline fill="none" stroke="${color}" stroke-width="1.5" points="${samples.map((each) => `${x(each.seconds)},${y(each[name])}`).join(' ')}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${kills.map((at) => `<line x1="${x(at)}" y1="${top}" x2="${x(at)}" y2="${height - 30}" stroke="#ddd"/>`).join('\n')}
${line('resident', '#2c6fbb')}
${line('live', '#1e8449')}
<text x="${left}" y="18"><tspan fill="#2c6fbb">resident</tspan> and <tspan fill="#1e8449">live</tspan> memory of a process that is not killed, in MiB. Grey lines are kills.</text>
<text x="4" y="${y(most)}">${Math.round(most)}</text>
<text x="4" y="${y(0)}">0</text>
<text x="${width - 60}" y="${height - 10}">${(end / 60).toFixed(0)} min</text>
</svg>
`;
}

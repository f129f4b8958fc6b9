const width = 760;
const rowHeight = 44;
const barLeft = 330;
const barWidth = 360;
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Each figure as a share of what it must come to: beyond the line it holds. */
export function drawChart(figures, results) {
  const known = figures.filter(({ id }) => results[id]);
  const rows = known.map((figure, i) => drawRow(figure, results[figure.id].value, i)).join('\n');
  const height = known.length * rowHeight + 60;
  const must = barLeft + barWidth / 3;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
<line x1="${must}" y1="24" x2="${must}" y2="${height - 24}" stroke="#444" stroke-dasharray="4 3"/>
<text x="${must}" y="18" text-anchor="middle" fill="#444">must</text>
${rows}
<text x="8" y="${height - 8}" fill="#777" font-size="11">Longer is better; the line is what each figure must come to. Scale is logarithmic.</text>
</svg>
`;
}

function drawRow({ id, title, unit, must, aim, holds, sign }, value, i) {
  const y = 32 + i * rowHeight;
  // How many times better than it must be, whichever way better is; from a tenth to a hundred times.
  const better = sign === '≥' ? value / must : must / value;
  const share = Math.min(1, Math.max(0.02, (Math.log10(better) + 1) / 3));
  const color = !holds(value, must) ? '#c0392b' : holds(value, aim) ? '#1e8449' : '#7dbb6a';
  const shown = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return `<text x="8" y="${y + 16}"><tspan font-weight="600">${id}</tspan> ${escape(title)}</text>
<rect x="${barLeft}" y="${y + 2}" width="${(share * barWidth).toFixed(1)}" height="20" rx="3" fill="${color}"/>
<text x="${barLeft + share * barWidth + 6}" y="${y + 17}">${shown}${unit}</text>`;
}

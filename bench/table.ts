import { bound, describeSide, nameOf, number, verdictOf } from './describe.ts';
import { type Figure, figures } from './figures.ts';
import type { Machine } from './machine.ts';
import type { Result } from './measure.ts';

const begin = '<!-- The lines up to the end of the table are written by npm run bench. -->\n';
const end = '<!-- End of the table. -->';

/** Replaces the table of results in the text of a Markdown file. */
export function replaceTable(text: string, machine: Machine, results: Readonly<Record<string, Result & { measuredAt: string }>>): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('The file has no place for the table of results');
  return `${before}${begin}\n${table(machine, results)}\n${end}${after}`;
}

function table(machine: Machine, results: Readonly<Record<string, Result & { measuredAt: string }>>): string {
  const rows = figures.flatMap((figure) => {
    const result = results[figure.id];
    return result ? [row(figure, result)] : [];
  });
  const days = Object.values(results)
    .map(({ measuredAt }) => measuredAt.slice(0, 10))
    .toSorted();
  return [
    `Measured on ${[...new Set([days.at(0), days.at(-1)])].join(' to ')}: ${nameOf(machine)}.`,
    '',
    '| | measured | ours | control | result | must | aim |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function row(figure: Figure, { value, ours, control }: Result): string {
  const verdict = { MISSED: ' (missed)', must: '', aim: '' }[verdictOf(figure, value)];
  const versus = [figure.control, describeSide(control)].filter(Boolean).join(': ');
  const cells = [
    figure.title,
    describeSide(ours),
    versus,
    `${number(value)}${figure.unit}${verdict}`,
    bound(figure, figure.must),
    bound(figure, figure.aim),
  ];
  return `| ${figure.id} | ${cells.join(' | ')} |`;
}

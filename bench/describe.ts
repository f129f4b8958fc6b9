import { type Figure, reaches } from './figures.ts';
import type { Machine } from './machine.ts';
import type { Result } from './measure.ts';

export const number = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2));

export const bound = ({ sign }: Figure, value: number): string => `${sign} ${value}`;

export const verdictOf = (figure: Figure, value: number): 'MISSED' | 'must' | 'aim' =>
  !reaches(figure, value, figure.must) ? 'MISSED' : reaches(figure, value, figure.aim) ? 'aim' : 'must';

export function describeSide(side: Result['ours']): string {
  if (!side) return '';
  if ('seconds' in side) return `${number(side.seconds)} s`;
  return `${number(side.perSecond)}/s, p50 ${number(side.p50)} ms, p99 ${number(side.p99)} ms`;
}

export const nameOf = ({ cpu, cores, arch, memoryGiB, node, postgres }: Machine): string =>
  `${cpu}, ${cores} cores, ${arch}, ${memoryGiB} GiB, Node.js ${node}, ${postgres}`;

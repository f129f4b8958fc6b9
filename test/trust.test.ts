import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../trust/attempt.ts';
import { type Figure, figures } from '../trust/figures.ts';
import { judge } from '../trust/judge.ts';

const textOf = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

describe('the controls of npm run trust', () => {
  it('every control in trust/figures.ts is the title of a test or a describe block in a test file of its figure', () => {
    const missing = figures.flatMap((figure) =>
      'files' in figure
        ? figure.controls.filter(({ test }) => !figure.files.some((file) => textOf(file).includes(`'${test}'`))).map(({ test }) => test)
        : [],
    );
    expect(missing).toEqual([]);
  });

  const figure: Figure = {
    id: 'T0',
    title: 'a promise',
    must: 'hold',
    files: [],
    controls: [
      { test: 'without the lock', fault: 'no lock', finds: 'a race' },
      { test: 'slow', fault: 'no fsync', finds: 'a loss', onlyInFull: true },
    ],
  };
  const guard: Attempt = { title: 'holds', blocks: [], passed: true };
  const control: Attempt = { title: 'sells twice', blocks: ['without the lock'], passed: true };

  it.each<[string, boolean, Attempt[]]>([
    ['a guard and every control passed', true, [guard, control]],
    ['a guard failed', false, [{ ...guard, passed: false }, control]],
    ['a control failed', false, [guard, { ...control, passed: false }]],
    ['a control did not run', false, [guard]],
    ['only controls ran', false, [control]],
    ['nothing ran', false, []],
  ])('%s: kept is %s', (_case, kept, attempts) => {
    expect(judge(figure, attempts, { quick: true }).kept).toBe(kept);
  });

  it('a promise is kept in a full run only if the controls with onlyInFull have run', () => {
    expect(judge(figure, [guard, control], { quick: false })).toMatchObject({ kept: false, failed: [expect.stringContaining('slow')] });
  });
});

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { auditFindings } from './audit-findings.ts';
import { useWorld } from './harness.ts';
import { Model } from './model.ts';
import { type Script, script } from './model-script.ts';
import { noon } from './world.ts';

const world = useWorld();
const runs = Number(process.env.MODEL_RUNS ?? 8);

/** Runs a script on the service and on the model. Returns the first difference. */
async function divergence(steps: Script): Promise<string | null> {
  world.now = noon;
  const model = await Model.open(world);
  for (const [i, step] of steps.entries()) {
    const found = await model.tryBoth(step);
    if (found) return `step ${i + 1}, ${JSON.stringify(step)}: ${found}`;
  }
  return model.compareCounters();
}

const property = (found: string[]) =>
  fc.asyncProperty(script, async (steps) => {
    const difference = await divergence(steps);
    if (difference) found.push(difference);
    expect(difference).toBeNull();
  });

describe('the catalogue and orders, compared with a model', () => {
  it('return the same results as the model for random sequences of actions', async () => {
    await fc.assert(property([]), { numRuns: runs });
    const differences = await auditFindings(world.db);
    expect(differences).toEqual([]);
  }, 600_000);
});

/** Faults in the database. Each one allows more sales than a limit, or blocks sales that the limits allow. The seed finds it in the first run. */
const mutants: [fault: string, trigger: string, seed: number][] = [
  [
    'the held quantity of an item is not counted',
    "before update on item for each row when (new.type <> 'group') execute function forget_held()",
    49,
  ],
  [
    'the sold quantity of a group is not counted',
    "before update on item for each row when (new.type = 'group') execute function forget_sold()",
    6,
  ],
  ['the sold quantity of a session is not counted', 'before update on event_session for each row execute function forget_sold()', 16],
  ['the sold quantity of a sale period is not counted', 'before update on sale_period for each row execute function forget_sold()', 41],
  [
    'the quantity of a buyer is not reduced by a cancellation',
    'before update on item_buyer for each row execute function keep_taken()',
    53,
  ],
  ['the uses of a passkey are not counted', 'before update on passkey for each row execute function forget_used()', 36],
];

describe('controls', () => {
  afterEach(async () => {
    for (const table of ['item', 'event_session', 'sale_period', 'item_buyer', 'passkey']) {
      await world.pool.query(`drop trigger if exists mutant on ${table}`);
    }
  });

  it.each(mutants)(
    'the comparison detects that %s',
    async (_fault, trigger, seed) => {
      await world.pool.query(`
      create or replace function forget_held() returns trigger language plpgsql as $$ begin new.held = old.held; return new; end $$;
      create or replace function forget_sold() returns trigger language plpgsql as $$ begin new.sold = old.sold; return new; end $$;
      create or replace function forget_used() returns trigger language plpgsql as $$ begin new.used = old.used; new.held = old.held; return new; end $$;
      create or replace function keep_taken() returns trigger language plpgsql as $$ begin new.taken = greatest(new.taken, old.taken); return new; end $$;
      create trigger mutant ${trigger}`);
      const found: string[] = [];
      const { failed } = await fc.check(property(found), { numRuns: 60, seed, endOnFailure: true });
      expect(failed).toBe(true);
      expect(found).not.toEqual([]);
    },
    600_000,
  );
});

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { auditFindings } from './audit-findings.ts';
import { useWorld } from './harness.ts';
import { Model, type Script, script } from './model.ts';
import { noon } from './world.ts';

const world = useWorld();
const runs = Number(process.env.MODEL_RUNS ?? 8);

/** Carries out a script on the service and on the model, and answers the first thing in which they differ. */
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

describe('catalogue and orders against a model', () => {
  it('does what the model says, whatever happens in whatever order', async () => {
    await fc.assert(property([]), { numRuns: runs });
    const differences = await auditFindings(world.db);
    expect(differences).toEqual([]);
  }, 600_000);
});

/** Faults in the database, each of which would let a limit be passed, or keep what is free from being sold. */
const mutants: [string, string][] = [
  [
    'what is held of an item is not counted',
    "before update on item for each row when (new.type <> 'group') execute function forget_held()",
  ],
  ['what is sold of a group is not counted', "before update on item for each row when (new.type = 'group') execute function forget_sold()"],
  ['what is sold in a session is not counted', 'before update on event_session for each row execute function forget_sold()'],
  ['what is sold in a sale period is not counted', 'before update on sale_period for each row execute function forget_sold()'],
  ['what a buyer gives back is not given back', 'before update on item_buyer for each row execute function keep_taken()'],
  ['what a passkey opened is not counted', 'before update on passkey for each row execute function forget_used()'],
];

describe('controls', () => {
  afterEach(async () => {
    for (const table of ['item', 'event_session', 'sale_period', 'item_buyer', 'passkey']) {
      await world.pool.query(`drop trigger if exists mutant on ${table}`);
    }
  });

  it.each(mutants)(
    'control: the model finds out when %s',
    async (_fault, trigger) => {
      await world.pool.query(`
      create or replace function forget_held() returns trigger language plpgsql as $$ begin new.held = old.held; return new; end $$;
      create or replace function forget_sold() returns trigger language plpgsql as $$ begin new.sold = old.sold; return new; end $$;
      create or replace function forget_used() returns trigger language plpgsql as $$ begin new.used = old.used; new.held = old.held; return new; end $$;
      create or replace function keep_taken() returns trigger language plpgsql as $$ begin new.taken = greatest(new.taken, old.taken); return new; end $$;
      create trigger mutant ${trigger}`);
      const found: string[] = [];
      const { failed } = await fc.check(property(found), { numRuns: 60, seed: 1, endOnFailure: true });
      expect(failed).toBe(true);
      expect(found).not.toEqual([]);
    },
    600_000,
  );
});

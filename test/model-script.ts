import fc from 'fast-check';

/** The number of items that `Model.open` creates. */
const itemsInSale = 4;

const some = fc.nat({ max: 30 });
const item = fc.nat({ max: itemsInSale - 1 });
const few = fc.integer({ min: 1, max: 3 });
const buyer = fc.nat({ max: 3 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      lines: fc.uniqueArray(fc.record({ item, quantity: few }), { minLength: 1, maxLength: 2, selector: (line) => line.item }),
      buyer: fc.option(buyer),
      passkey: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('setBuyer' as const), order: some, buyer }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pay' as const), order: some }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('decline' as const), order: some }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), order: some }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('extend' as const), order: some }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund' as const), order: some, restock: fc.boolean(), one: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 6, 11) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('quantity' as const), item, to: fc.integer({ min: 0, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('available' as const), item, to: fc.integer({ min: 0, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('salable' as const), item, to: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('archived' as const), item, to: fc.boolean() }) },
);

/** A random sequence of actions. */
export const script = fc.array(step, { minLength: 15, maxLength: 45, size: 'max' });
export type Script = typeof script extends fc.Arbitrary<infer S> ? S : never;
export type Step = Script[number];

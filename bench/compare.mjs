/** The middle one. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Both by turns, after a round to warm up; answers the round whose ratio is the median one. */
export async function compare({ rounds, ours, control, ratioOf = (own, other) => own.perSecond / other.perSecond }) {
  const results = [];
  for (let round = 0; round <= rounds; round++) {
    const other = await control();
    const own = await ours();
    if (round > 0) results.push({ ours: own, control: other, value: ratioOf(own, other) });
  }
  const middle = median(results.map(({ value }) => value));
  return { ...results.find(({ value }) => value === middle), rounds: results.map(({ value }) => value) };
}

export async function secondsOf(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

/** Returns the figures that `--only S1,G2` names, or all figures without `--only`. Ends the process if a name is unknown. */
export function chooseFigures<F extends { id: string }>(figures: readonly F[], only: string | undefined): F[] {
  const ids = figures.map(({ id }) => id);
  const chosen = only?.toUpperCase().split(',') ?? ids;
  const unknown = chosen.filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    console.error(`Unknown figure ${unknown.join(', ')}. --only takes ${ids.join(',')}`);
    process.exit(2);
  }
  return figures.filter(({ id }) => chosen.includes(id));
}

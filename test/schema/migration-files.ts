/** The `create table` and `create index` statements without a comment line before them. Consecutive indexes may share a comment. */
export function uncommentedStatements(text: string): string[] {
  const lines = text.split('\n');
  const found: string[] = [];
  /** Whether the previous statement is an index with a comment. */
  let continues = false;
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1] ?? '';
    const commented = before.startsWith('--');
    const index = /^create (unique )?index /.test(line);
    const good: boolean = commented || (index && continues && before !== '');
    if ((index || line.startsWith('create table ')) && !good) found.push(line);
    // Indented lines continue the statement before.
    if (!line.startsWith(' ') && !line.startsWith('--')) continues = index && good;
  }
  return found;
}

import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { StoredFile } from '../kernel/route.ts';
import type { Tx } from '../postgres/database.ts';
import { statusAt } from './export.ts';
import { selectExport } from './exports.sql.ts';
import { isSigned } from './link.ts';
import { mediaTypes } from './make-file.ts';

/** Whoever has the link has the file. To all others, and where who asked for it has no account any more, there is nothing here. */
export async function getExportFile(tx: Tx, { at }: Act, id: number, signature: string | undefined): Promise<StoredFile> {
  const row = await selectExport(tx, id);
  if (!row || row.disabled_at || !isSigned(row, signature)) throw new Problem('not_found');
  const { file_key: key, bytes, sha256 } = row;
  if (statusAt(row, at) !== 'ready' || !key || bytes === null || !sha256) {
    throw new Problem('link_expired', 'The link was good for 7 days; ask for the export again');
  }
  const name = `${row.type}-${row.link}-${id}.${row.format}`;
  return { key, name, mediaType: mediaTypes[row.format], bytes, tag: sha256.toString('base64url') };
}

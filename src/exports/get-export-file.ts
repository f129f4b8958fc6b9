import { findCaller } from '../accounts/find-caller.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { StoredFile } from '../kernel/route.ts';
import type { Tx } from '../postgres/database.ts';
import { exportKeyOf, statusAt } from './export.ts';
import { selectExport } from './exports.sql.ts';
import { isValidSignature } from './link.ts';
import { mediaTypes } from './make-file.ts';
import { maySeeExport } from './permission.ts';

const noLongerAllowed = 'The user who requested this export may no longer see it. A user with permission can request a new export.';

/**
 * Returns the file for the signature in its link. The caller needs no token. The link works only while the account of the requester is
 * enabled and may see the export. A wrong signature returns 404, so that the response does not reveal which exports exist.
 */
export async function getExportFile(tx: Tx, { at }: Act, id: number, signature: string | undefined): Promise<StoredFile> {
  const row = await selectExport(tx, await exportKeyOf(tx, id));
  if (!row || !isValidSignature(row, signature)) throw new Problem('not_found');
  const requester = await findCaller(tx, row.user_id);
  if (!requester) throw new Problem('not_found');
  if (!maySeeExport(requester, row)) throw new Problem('link_expired', noLongerAllowed);
  const { file_key: key, bytes, sha256 } = row;
  if (statusAt(row, at) !== 'ready' || !key || bytes === null || !sha256) {
    throw new Problem('link_expired', 'The link expired after 7 days. Request the export again.');
  }
  const name = `${row.type}-${row.link}-${id}.${row.format}`;
  return { key, name, mediaType: mediaTypes[row.format], bytes, tag: sha256.toString('base64url') };
}

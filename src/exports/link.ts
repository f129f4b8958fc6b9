import { createHmac, timingSafeEqual } from 'node:crypto';
import { basePath } from '../http/base-path.ts';
import type { ExportRow } from './exports.sql.ts';

type Signed = Pick<ExportRow, 'id' | 'user_id' | 'expires_at' | 'secret'>;

/** Signs the id, the requester and the expiry of the export. Returns null before the export is ready. */
function signatureOf({ id, user_id, expires_at, secret }: Signed): string | null {
  if (!expires_at) return null;
  return createHmac('sha256', secret).update(`export ${id} of user ${user_id} until ${expires_at.toISOString()}`).digest('base64url');
}

/** Returns the path of the download link, without the host. Returns null before the export is ready. */
export function linkOf(row: Signed): string | null {
  const signature = signatureOf(row);
  return signature && `${basePath}/exports/${row.id}/file?signature=${signature}`;
}

export function isValidSignature(row: Signed, signature: string | undefined): boolean {
  const [expected, given] = [Buffer.from(signatureOf(row) ?? ''), Buffer.from(signature ?? '')];
  return expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given);
}

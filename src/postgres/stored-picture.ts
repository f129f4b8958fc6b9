import { type RawBuilder, sql } from 'kysely';
import type { StoredPicture } from '../kernel/picture.ts';

/** Selects the uploaded picture whose id is in the column, such as `producer.picture_id`. */
export const storedPicture = (column: string): RawBuilder<StoredPicture | null> =>
  sql`(select to_jsonb(picture) from picture where picture.id = ${sql.ref(column)})`;

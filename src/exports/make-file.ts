import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Files } from '../platform/files/files.ts';
import { copyTo } from '../postgres/copy.ts';
import type { Tx } from '../postgres/database.ts';
import { type Column, passkeyColumns, transactionColumns } from './columns.ts';
import type { ExportRow } from './exports.sql.ts';

import type { FindScope } from '../accounts/gate.ts';
import { selectPasskeyScope } from './passkeys.sql.ts';

/** Permissions on a passkey are those on its event. A deleted passkey has no scope, so callers get 404. */
export const findPasskeyScope: FindScope = selectPasskeyScope;

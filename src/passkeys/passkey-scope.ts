import type { FindScope } from '../accounts/gate.ts';
import { selectPasskeyScope } from './passkeys.sql.ts';

/** A passkey belongs to its event, and with it to the event's producer. One that is deleted is not there. */
export const findPasskeyScope: FindScope = selectPasskeyScope;

import { type Capability, capability } from '../http/capability.ts';
import { passkeyContract } from './contract.ts';
import { createPasskeyBatch } from './create-batch.ts';
import { createPasskey } from './create-passkey.ts';
import { listPasskeys } from './list-passkeys.ts';
import { getPasskey } from './passkey.ts';
import { replacePasskeyItems } from './replace-items.ts';
import { deletePasskey, updatePasskey } from './update-passkey.ts';

export const passkeys: Capability = capability(passkeyContract, {
  listPasskeys: (tx, act, { query }) => listPasskeys(tx, act.at, query),
  getPasskey: (tx, act, { params }) => getPasskey(tx, params.id, act.at),
  createPasskey: (tx, act, { body }) => createPasskey(tx, act, body),
  updatePasskey: (tx, act, { params, body }) => updatePasskey(tx, act, params.id, body),
  deletePasskey: (tx, act, { params }) => deletePasskey(tx, act, params.id),
  replacePasskeyItems: (tx, act, { params, body }) => replacePasskeyItems(tx, act, params.id, body.itemIds),
  createPasskeyBatch: (tx, act, { params, body }) => createPasskeyBatch(tx, act, params.eventId, body),
});

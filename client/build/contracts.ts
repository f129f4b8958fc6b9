import { accountsContract } from '../../src/accounts/contract.ts';
import { catalogContract } from '../../src/catalog/contract.ts';
import { codesContract } from '../../src/codes/contract.ts';
import { doorContract } from '../../src/door/contract.ts';
import { eventsContract } from '../../src/events/contract.ts';
import { exportsContract } from '../../src/exports/contract.ts';
import { homeContract } from '../../src/home/contract.ts';
import { ordersContract } from '../../src/orders/contract.ts';
import { passkeyContract } from '../../src/passkeys/contract.ts';
import { paymentsContract } from '../../src/payments/contract.ts';
import { mailboxContract } from '../../src/platform/mail/contract.ts';
import { reportsContract } from '../../src/reports/contract.ts';
import { storefrontContract } from '../../src/storefront/contract.ts';
import { systemContract } from '../../src/system/contract.ts';
import { taxContract } from '../../src/tax/contract.ts';
import { waitingListContract } from '../../src/waiting-list/contract.ts';
import { waitingRoomContract } from '../../src/waiting-room/contract.ts';
import { webhooksContract } from '../../src/webhooks/contract.ts';

/** The contracts of all capabilities. The client imports only their types, so it contains no code of the contracts at run time. */
export const contracts = {
  ...accountsContract,
  ...taxContract,
  ...eventsContract,
  ...catalogContract,
  ...passkeyContract,
  ...codesContract,
  ...storefrontContract,
  ...homeContract,
  ...waitingRoomContract,
  ...ordersContract,
  ...paymentsContract,
  ...waitingListContract,
  ...doorContract,
  ...reportsContract,
  ...exportsContract,
  ...webhooksContract,
  ...systemContract,
  ...mailboxContract,
};

import type { PaymentBody } from '../contract.ts';
import { askCash } from './cash.ts';
import type { Ask } from './provider.ts';
import type { NewChargeRow } from './sandbox.sql.ts';
import { askCard, askPix } from './sandbox.ts';

/** Who is asked for the money, by how it is paid. */
export const askFor: Record<PaymentBody['method'], Ask<NewChargeRow>> = { cash: askCash, card: askCard, pix: askPix };

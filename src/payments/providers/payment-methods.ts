import type { PaymentProvider } from '../../config.ts';
import type { PaymentBody } from '../contract.ts';
import type { PaymentMethod } from './provider.ts';
import type { NewChargeRow } from './sandbox.sql.ts';
import { chargeCard, chargePix } from './sandbox.ts';

type Methods = Partial<Record<PaymentBody['method'], PaymentMethod<NewChargeRow>>>;

/** A cash payment is approved at once, because the seller takes the cash before recording the payment. */
const chargeCash: PaymentMethod<never> = () => ({ status: 'approved' });

const methodsOf: Record<PaymentProvider, Methods> = { cash: { cash: chargeCash }, sandbox: { card: chargeCard, pix: chargePix } };

/** Returns the payment methods of the enabled providers. */
export const paymentMethods = (providers: ReadonlySet<PaymentProvider>): Methods =>
  Object.assign({}, ...[...providers].map((provider) => methodsOf[provider])) as Methods;

import type { PaymentProvider } from '../../config.ts';
import type { PaymentBody } from '../contract.ts';
import { askCash } from './cash.ts';
import type { Ask } from './provider.ts';
import type { NewChargeRow } from './sandbox.sql.ts';
import { askCard, askPix } from './sandbox.ts';

type Methods = Partial<Record<PaymentBody['method'], Ask<NewChargeRow>>>;

const methodsOf: Record<PaymentProvider, Methods> = { cash: { cash: askCash }, sandbox: { card: askCard, pix: askPix } };

/** The payment methods of the providers that are on. Methods of other providers do not exist here. */
export const paymentMethods = (providers: ReadonlySet<PaymentProvider>): Methods =>
  Object.assign({}, ...[...providers].map((provider) => methodsOf[provider])) as Methods;

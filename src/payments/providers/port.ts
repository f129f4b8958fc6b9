/** What the buyer does to pay. */
export type BuyerAction =
  /** Show the code as a QR code and as text. */
  | { type: 'display'; code: string; imageUrl: string | null }
  | { type: 'redirect'; url: string }
  /** Hand these to the web component of the provider. */
  | { type: 'client'; publishableKey: string; clientSecret: string };

export interface ProviderMethod {
  method: 'card' | 'pix' | 'boleto';
  /** Null: all currencies. */
  currencies: readonly string[] | null;
  action: BuyerAction['type'] | 'none';
  /** For the action `client`: how a page loads the web component of the provider. */
  component?: { script: string; publishableKey: string };
  /** Banks confirm such a payment up to some days after the buyer has paid. Until then the provider reports it as open. */
  confirmedLater?: true;
  /** What the payment needs to know about the buyer, besides name and e-mail. */
  needs?: readonly ('document' | 'address')[];
}

export interface BuyerAddress {
  line1: string;
  city: string;
  state: string;
  postalCode: string;
  /** Two letters, for example `BR`. */
  country: string;
}

/** A repeated start must contain exactly the same values, because providers compare them with the first request of the key. */
export interface PaymentToStart {
  /** Our name of the payment at the provider. It is also the idempotency key. */
  reference: string;
  method: ProviderMethod['method'];
  amount: number;
  currency: string;
  expiresAt: Date;
  eventId: number;
  orderId: number;
  description: string;
  buyer: { name: string; email: string; document: string | null; address?: BuyerAddress | null };
  /** The producer's own account, and the part of the amount that stays with the platform. Null: all money goes to the platform. */
  payout: { account: string; platformFee: number } | null;
  /** For the sandbox only: the outcome that it simulates. */
  outcome?: string;
}

export interface ProviderPayment {
  reference: string | null;
  providerId: string;
  status: 'open' | 'paid' | 'failed';
  amount: number;
  /** Received in cents; 0 unless paid. */
  received: number;
  /** The provider's fee in cents, null if not known yet. */
  fee: number | null;
  action: BuyerAction | null;
  /** Why it failed, for the buyer. */
  failure: string | null;
  /** Why the provider refused to start it, for the crew. */
  refusal?: string;
}

export interface ProviderRefund {
  reference: string | null;
  providerId: string;
  paymentProviderId: string;
  status: 'open' | 'done' | 'failed';
  amount: number;
  failure: string | null;
}

export interface ProviderDispute {
  providerId: string;
  paymentProviderId: string;
  status: 'open' | 'won' | 'lost';
  amount: number;
  /** What the provider has charged so far. */
  fee: number;
  reason: string;
  /** How many movements of money the provider has made for the dispute. A report with fewer movements is older. */
  movements: number;
}

export type ProviderNotice = { id: string; type: string; account: string | null } & (
  | { about: 'payment'; payment: ProviderPayment }
  | { about: 'refund'; refund: ProviderRefund }
  | { about: 'dispute'; dispute: ProviderDispute }
  /** The notice says only that this payment has changed. `find` returns its state. */
  | { about: 'change'; paymentProviderId: string }
  | { about: 'nothing' }
);

/** The provider did not decide: unreachable, timeout, rate limit, 5xx. The same call may be repeated. */
export class ProviderUnavailable extends Error {}

/** The provider refused the request, and a repeated request gets the same response. `message` says why. */
export class ProviderRefusal extends Error {}

/** The signature is wrong, or the notice is too old, malformed or of another account. */
export class InvalidNotice extends Error {}

export interface PaymentToFind {
  reference: string;
  providerId: string | null;
  startedAt: Date;
  payoutAccount: string | null;
}

export interface RefundToStart {
  reference: string;
  paymentProviderId: string;
  amount: number;
  startedAt: Date;
  payout: boolean;
}

export type RefundToFind = Pick<RefundToStart, 'reference' | 'paymentProviderId' | 'startedAt'>;

export interface PaymentProvider {
  name: string;
  methods: readonly ProviderMethod[];
  /** The form of a producer's own account at the provider. Null: all money goes to the platform. */
  payoutAccount: RegExp | null;
  /** Starting the same reference again returns the same payment and never charges twice. */
  start(payment: PaymentToStart, signal: AbortSignal): Promise<ProviderPayment>;
  /** Null: the provider has no payment with this reference. */
  find(payment: PaymentToFind, signal: AbortSignal): Promise<ProviderPayment | null>;
  /** Makes sure that the payment can no longer be paid. Returns its state: it may have been paid meanwhile. */
  cancel(payment: { reference: string; providerId: string }, signal: AbortSignal): Promise<ProviderPayment>;
  refund(refund: RefundToStart, signal: AbortSignal): Promise<ProviderRefund>;
  findRefund(refund: RefundToFind, signal: AbortSignal): Promise<ProviderRefund | null>;
  /** Checks the signature with the provider's own library, on the exact bytes. */
  readNotice(raw: Buffer, headers: Record<string, string | undefined>, receivedAt: Date): ProviderNotice;
  /** Everything that changed since then, from the provider's own list, oldest first: for reconciliation. */
  changesSince(since: Date, signal: AbortSignal): AsyncIterable<ProviderNotice>;
}

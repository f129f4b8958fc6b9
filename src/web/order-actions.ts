import type { PageEdge } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import { formatCpf, isCpf } from '../kernel/cpf.ts';
import type { Locale } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import { attempt, type ProblemBody } from './attempt.ts';
import type { BuyerField, BuyerForm, OrderNotice } from './order-contract.ts';

/** An order that a form of its page is about. */
interface OrderForm {
  edge: PageEdge;
  act: Act;
  locale: Locale;
  id: number;
  secret: string;
  form: URLSearchParams;
}

/** The page is loaded again with a notice, or shown with the refused form. */
type ActionResult =
  | { notice: OrderNotice | null; changesBuyer?: true }
  | { refused: Pick<BuyerForm, 'values' | 'invalid' | 'overLimit'>; status: number };

type Action = (form: OrderForm) => Promise<ActionResult>;

const run = <T>({ edge, act, locale, id, secret }: OrderForm, operation: string, body?: object) =>
  attempt<T>(edge, { ...act, locale }, operation, { params: { id }, query: { secret }, body });

/** Problems that mean the same for each action. The others depend on the action. */
function noticeOf({ code }: ProblemBody, notices: Readonly<Record<string, OrderNotice | null>>): OrderNotice | null {
  if (code === 'not_found') throw new Problem('not_found');
  if (code === 'overloaded' || code === 'unavailable') return 'busy';
  const found = notices[code ?? ''];
  return found === undefined ? 'failed' : found;
}

/** The page shows an order that is expired or paid as it is, so these problems need no notice. */
const shownByPage = { hold_expired: null, wrong_state: null } as const;

async function setBuyer(order: OrderForm): Promise<ActionResult> {
  const field = (name: BuyerField) => (order.form.get(name) ?? '').trim().slice(0, 500);
  const values = { name: field('name'), email: field('email'), document: field('document') };
  const isBrazilian = order.form.get('documentKind') === 'cpf' && values.document !== '';
  const wrongCpf: BuyerField[] = isBrazilian && !isCpf(values.document) ? ['document'] : [];
  const { name, email } = values;
  const document = isBrazilian ? formatCpf(values.document) : values.document;
  const invalidBefore = [...emptyFields(values), ...wrongCpf];
  if (invalidBefore.length > 0) return { refused: { values, invalid: invalidBefore, overLimit: [] }, status: 422 };
  const { status, body } = await run<object>(order, 'setBuyer', { name, email, ...(document && { document }) });
  if (status < 300) return { notice: null };
  const invalid = (body.errors ?? []).map((error) => error.field).filter((each): each is BuyerField => each in values);
  if (invalid.length > 0) return { refused: { values, invalid, overLimit: [] }, status };
  if (body.code === 'buyer_limit') {
    const overLimit = (body.lines ?? []).map((line) => ({ name: line.name, quantity: line.quantity ?? 0, remaining: line.remaining ?? 0 }));
    return { refused: { values, invalid: [], overLimit }, status };
  }
  return { notice: noticeOf(body, shownByPage) };
}

const emptyFields = ({ name, email }: Record<BuyerField, string>): BuyerField[] => [
  ...(name === '' ? (['name'] as const) : []),
  ...(email === '' ? (['email'] as const) : []),
];

const addressFields = ['line1', 'city', 'state', 'postalCode', 'country'] as const;

async function pay(order: OrderForm): Promise<ActionResult> {
  const method = order.form.get('method') ?? '';
  const outcome = order.form.get(`outcome-${method}`);
  const address = Object.fromEntries(addressFields.map((name) => [name, (order.form.get(`${method}-${name}`) ?? '').trim()]));
  const { status, body } = await run<object>(order, 'payOrder', {
    method,
    ...(outcome && { outcome }),
    ...(address.line1 && { address }),
  });
  if (status < 300) return { notice: null };
  if (body.code === 'buyer_required') return { notice: 'document', changesBuyer: true };
  const isAddress = body.errors?.some(({ field }) => field.startsWith('address'));
  return {
    notice: isAddress
      ? 'address'
      : noticeOf(body, {
          ...shownByPage,
          payment_declined: 'declined',
          payment_method_unavailable: 'unavailable',
          invalid_input: 'unavailable',
        }),
  };
}

async function extend(order: OrderForm): Promise<ActionResult> {
  const { status, body } = await run(order, 'extendOrder');
  return { notice: status < 300 ? 'extended' : noticeOf(body, { hold_expired: null, wrong_state: 'notExtended' }) };
}

async function mailTickets(order: OrderForm): Promise<ActionResult> {
  const { status, body } = await run(order, 'resendTickets', { locale: order.locale });
  return { notice: status < 300 ? 'mailed' : noticeOf(body, { rate_limited: 'mailLimit', wrong_state: 'failed' }) };
}

async function withdraw(order: OrderForm): Promise<ActionResult> {
  // The confirmation is a box in the form. Browsers do not send the form without it.
  if (order.form.get('confirmed') !== 'yes') return { notice: null };
  const { status, body } = await run(order, 'refundOrder', {});
  return { notice: status < 300 ? 'withdrawn' : noticeOf(body, { ...shownByPage, withdrawal_closed: 'withdrawalClosed' }) };
}

/** The actions by the value of the field `do`. */
export const orderActions: ReadonlyMap<string, Action> = new Map([
  ['buyer', setBuyer],
  ['pay', pay],
  ['extend', extend],
  ['mail', mailTickets],
  ['withdraw', withdraw],
]);

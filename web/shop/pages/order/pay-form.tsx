import type { PaymentMethod } from '../../../../src/payments/contract.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { formAction } from './form-action.ts';
import type { OrderProps } from './order.tsx';
import { amountOf } from './summary.tsx';

type MethodProps = OrderProps & { method: PaymentMethod };

const iconOf: Record<PaymentMethod['method'], string> = { card: icons.card, pix: icons.pix, boleto: icons.ticket, cash: icons.ticket };

/** The methods as a list of choices. The chosen one opens, with the only button of the step. It works without JavaScript. */
export function PayForm(props: OrderProps) {
  const { frame, t, page } = props;
  const methods = page.methods.filter(({ method }) => method !== page.payment?.method);
  if (methods.length === 0) return <EmptyState icon={icons.card} title={t.checkout.noMethods} text={t.checkout.noMethodsText} />;
  return (
    <form class="pay-form" method="post" action={formAction(frame, page)} data-busy>
      <input type="hidden" name="do" value="pay" />
      {methods.some(({ provider }) => provider === 'sandbox') && <TestMoney {...props} />}
      <fieldset class="methods">
        <legend class="visually-hidden">{t.checkout.payTitle}</legend>
        {methods.map((method, i) => (
          <div class="method">
            <label class="method-head">
              <input type="radio" name="method" value={method.method} checked={i === 0} />
              <span class="method-icon">
                <Icon path={iconOf[method.method]} size={22} />
              </span>
              <span class="method-name">
                {t.checkout[method.method]}
                <span class="soft small">{t.checkout[`${method.method}Text`]}</span>
              </span>
            </label>
            <div class="method-body">
              <MethodBody {...props} method={method} />
            </div>
          </div>
        ))}
      </fieldset>
    </form>
  );
}

const TestMoney = ({ t }: OrderProps) => (
  <Notice tone="warn" title={t.checkout.testMoney}>
    <p class="small">{t.checkout.testText}</p>
  </Notice>
);

/** What the buyer enters for a method, and the button that starts the payment. */
function MethodBody(props: MethodProps) {
  const { t, method } = props;
  const isTest = method.provider === 'sandbox';
  const labels: Record<PaymentMethod['method'], string> = {
    card: method.action === 'client' ? t.checkout.goToCard : fill(t.checkout.pay, { amount: amountOf(props, props.page.total) }),
    pix: t.checkout.getPix,
    boleto: t.checkout.goToBoleto,
    cash: fill(t.checkout.pay, { amount: amountOf(props, props.page.total) }),
  };
  return (
    <>
      {isTest && method.method === 'card' && <TestCards {...props} />}
      {isTest && method.method === 'pix' && <TestBank {...props} />}
      {method.needs.includes('address') && <AddressFields {...props} />}
      {method.action === 'client' && <p class="without-script field-error">{t.checkout.needsScript}</p>}
      <button class="button wide" type="submit">
        {method.method === 'card' && <Icon path={icons.shield} />}
        {labels[method.method]}
      </button>
    </>
  );
}

/** Two cards to choose from, because nobody should type a real card number into a test shop. */
const TestCards = ({ t }: MethodProps) => (
  <fieldset class="test-cards">
    <legend class="small">{t.checkout.testCard}</legend>
    {(['approve', 'decline'] as const).map((outcome) => (
      <label class={`test-card ${outcome}`}>
        <input type="radio" name="outcome-card" value={outcome} checked={outcome === 'approve'} />
        <span class="test-card-number" aria-hidden="true">
          •••• {outcome === 'approve' ? '4242' : '0002'}
        </span>
        <span class="small">{outcome === 'approve' ? t.checkout.testCardGood : t.checkout.testCardBad}</span>
      </label>
    ))}
  </fieldset>
);

const TestBank = ({ t }: MethodProps) => (
  <div class="field">
    <label for="outcome-pix">{t.checkout.testBank}</label>
    <select class="input" id="outcome-pix" name="outcome-pix">
      <option value="approve">{t.checkout.testBankPays}</option>
      <option value="decline">{t.checkout.testBankDeclines}</option>
      <option value="never">{t.checkout.testBankWaits}</option>
    </select>
  </div>
);

/** A boleto needs the address of the buyer. The fields are required only while their method is chosen, so the server checks them. */
const AddressFields = ({ t, method: { method } }: MethodProps) => (
  <div class="address-fields">
    <input type="hidden" name={`${method}-country`} value="BR" />
    <TextField
      id={`${method}-line1`}
      name={`${method}-line1`}
      label={t.checkout.address}
      value=""
      maxLength={200}
      autocomplete="address-line1"
    />
    <TextField
      id={`${method}-postalCode`}
      name={`${method}-postalCode`}
      label={t.checkout.postalCode}
      value=""
      maxLength={20}
      autocomplete="postal-code"
    />
    <TextField
      id={`${method}-city`}
      name={`${method}-city`}
      label={t.checkout.city}
      value=""
      maxLength={100}
      autocomplete="address-level2"
    />
    <TextField
      id={`${method}-state`}
      name={`${method}-state`}
      label={t.checkout.state}
      value=""
      maxLength={100}
      autocomplete="address-level1"
    />
  </div>
);

import type { ComponentChildren } from 'preact';
import type { OrderNotice } from '../../../../src/web/order-contract.ts';
import type { Messages } from '../../../messages/catalogues.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { href, withQuery } from '../../page.ts';
import { BuyerForm } from './buyer-form.tsx';
import { formAction } from './form-action.ts';
import type { OrderProps } from './order.tsx';
import { PayForm } from './pay-form.tsx';
import { Pending } from './pending.tsx';
import { SummaryBar, SummaryCard } from './summary.tsx';

/** The three steps on one page. The step that is open has the only primary button. */
export function Checkout(props: OrderProps) {
  const { frame, t, page } = props;
  const isNamed = page.view !== 'buyer';
  const isFree = page.total === 0;
  return (
    <div class="checkout">
      <SummaryBar {...props} />
      <div class="wrap checkout-grid">
        <div class="checkout-main">
          <h1>{t.checkout.title}</h1>
          <p class="notice warn" role="alert" data-offline hidden />
          <CheckoutNotice t={t} notice={page.notice} failure={page.failure} />
          <Step number={1} title={isNamed ? t.checkout.you : t.checkout.youTitle} state={isNamed ? 'done' : 'open'} t={t}>
            {isNamed ? <BuyerLine {...props} /> : <BuyerForm {...props} />}
          </Step>
          {!isFree && (
            <Step number={2} title={paymentTitle(props)} state={isNamed ? 'open' : 'later'} id="payment" t={t}>
              {!isNamed && <p class="soft">{t.checkout.payLater}</p>}
              {page.view === 'payment' && <PayForm {...props} />}
              {page.view === 'pending' && <Pending {...props} />}
            </Step>
          )}
          <Step number={isFree ? 2 : 3} title={t.checkout.done} state="later" t={t}>
            <p class="soft">{t.checkout.doneText}</p>
          </Step>
          <p>
            <a class="more-link" href={href(frame, page.event.path)}>
              {t.checkout.cancel}
            </a>
          </p>
        </div>
        <SummaryCard {...props} />
      </div>
      {!page.hold.isExtended && page.view !== 'pending' && <Offer {...props} />}
    </div>
  );
}

function paymentTitle({ t, page: { view, payment } }: OrderProps): string {
  if (view === 'buyer') return t.checkout.payment;
  if (view === 'payment' || !payment?.action) return t.checkout.payTitle;
  const titles = { display: t.checkout.pixTitle, redirect: t.checkout.redirectTitle, client: t.checkout.componentTitle };
  return titles[payment.action.type];
}

interface StepProps {
  number: number;
  title: string;
  state: 'open' | 'done' | 'later';
  t: Messages;
  id?: string;
  children: ComponentChildren;
}

const Step = ({ number, title, state, t, id = `step-${number}`, children }: StepProps) => (
  <section class={`step ${state}`} id={id} aria-labelledby={`${id}-title`} {...(state === 'open' && { 'aria-current': 'step' as const })}>
    <h2 class="step-title" id={`${id}-title`}>
      <span class="step-tile">{state === 'done' ? <Icon path={icons.check} size={18} /> : number}</span>
      {title}
      {state === 'done' && <span class="visually-hidden"> ({t.checkout.stepDone})</span>}
    </h2>
    <div class="step-body">{children}</div>
  </section>
);

/** The buyer of the order. While a payment is open, the buyer cannot be changed. */
const BuyerLine = ({ frame, t, page }: OrderProps) => (
  <div class="buyer-line">
    <p>
      <strong>{page.buyer?.name}</strong>
      <br />
      <span class="soft">{page.buyer?.email}</span>
    </p>
    {page.view === 'payment' && (
      <a class="button secondary" href={withQuery(href(frame, frame.path), { change: 'buyer' })}>
        {t.checkout.change}
      </a>
    )}
  </div>
);

type Texts = { tone: 'ok' | 'bad' | 'warn'; title: keyof Messages['checkout']; text?: keyof Messages['checkout'] };

const notices: Partial<Record<OrderNotice, Texts>> = {
  declined: { tone: 'bad', title: 'declinedTitle', text: 'declinedText' },
  unavailable: { tone: 'bad', title: 'unavailableTitle', text: 'unavailableText' },
  document: { tone: 'warn', title: 'documentTitle' },
  address: { tone: 'bad', title: 'addressTitle' },
  extended: { tone: 'ok', title: 'extendedTitle' },
  notExtended: { tone: 'warn', title: 'notExtendedTitle' },
  busy: { tone: 'warn', title: 'busyTitle', text: 'busyText' },
  failed: { tone: 'bad', title: 'failedTitle', text: 'failedText' },
};

/** The result of the last action. The reason of a provider is in its own words. */
function CheckoutNotice({ t, notice, failure }: { t: Messages; notice: OrderNotice | null; failure: string | null }) {
  const texts = notices[notice ?? 'mailed'] ?? (failure === null ? undefined : notices.declined);
  if (!texts) return null;
  return (
    <Notice tone={texts.tone} title={t.checkout[texts.title] as string} alert>
      {texts.text && <p>{t.checkout[texts.text] as string}</p>}
      {texts === notices.declined && failure !== null && (
        <p class="small" lang="en">
          {failure}
        </p>
      )}
    </Notice>
  );
}

/** The offer of more time. The script shows it 45 seconds before the end; without JavaScript it is always there. */
const Offer = ({ frame, t, page }: OrderProps) => (
  <form class="offer" method="post" action={formAction(frame, page)} data-offer>
    <input type="hidden" name="do" value="extend" />
    <div class="wrap offer-row">
      <div role="status">
        <p class="offer-title">
          <Icon path={icons.clock} /> {t.checkout.offer}
        </p>
        <p class="small">{t.checkout.offerText}</p>
      </div>
      <button class="button" type="submit">
        {t.checkout.extend}
      </button>
    </div>
  </form>
);

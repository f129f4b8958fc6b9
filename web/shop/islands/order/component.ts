import { type OrderData, orderPath } from '../../pages/order/order-data.ts';

/** The part of Stripe.js that this page uses. */
interface StripeElements {
  create(kind: 'payment'): { mount(place: HTMLElement): void; on(event: 'ready' | 'loaderror', callback: () => void): void };
}
interface StripeClient {
  elements(options: { clientSecret: string }): StripeElements;
  confirmPayment(options: {
    elements: StripeElements;
    confirmParams: { return_url: string };
    redirect: 'if_required';
  }): Promise<{ error?: { message?: string } }>;
}
type CreateStripe = (publishableKey: string, options: { locale: string }) => StripeClient;

/** Mounts the card form of the provider and confirms the payment. If a card is declined, the buyer can enter another one. */
export function startComponent(data: OrderData, poll: () => void): void {
  const form = document.querySelector<HTMLFormElement>('[data-component]');
  const place = form?.querySelector<HTMLElement>('[data-component-place]');
  const button = form?.querySelector('button');
  if (!form || !place || !button) return;
  const { key = '', secret = '', locale = 'auto' } = form.dataset;
  const stripe = (globalThis as { Stripe?: CreateStripe }).Stripe?.(key, { locale });
  if (!stripe) return showError(form, data.messages.componentError);

  const elements = stripe.elements({ clientSecret: secret });
  const element = elements.create('payment');
  element.on('ready', () => {
    button.disabled = false;
  });
  element.on('loaderror', () => showError(form, data.messages.componentError));
  place.replaceChildren();
  element.mount(place);

  async function confirm(client: StripeClient, submit: HTMLButtonElement): Promise<void> {
    submit.disabled = true;
    showError(form, null);
    const confirmParams = { return_url: location.origin + location.pathname };
    const { error } = await client.confirmPayment({ elements, confirmParams, redirect: 'if_required' });
    if (error) {
      showError(form, error.message ?? data.messages.componentError);
      submit.disabled = false;
      return;
    }
    await askProvider(data);
    poll();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!button.disabled) void confirm(stripe, button);
  });
}

/** The service asks the provider for the payment. Otherwise the page would wait for its notice. */
async function askProvider(data: OrderData): Promise<void> {
  const body = JSON.stringify({ method: 'card' });
  await fetch(`/v1${orderPath(data)}/payment`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => null);
}

function showError(form: HTMLFormElement | null, text: string | null): void {
  const place = form?.querySelector<HTMLElement>('[data-component-error]');
  if (!place) return;
  place.hidden = text === null;
  place.textContent = text ?? '';
}

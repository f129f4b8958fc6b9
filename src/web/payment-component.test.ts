import { describe, expect, it } from 'vitest';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';

const { world, hold, start } = useStripeShop();

const open = ({ id, secret }: PlacedOrder) => world.app.inject({ url: `/en/orders/${id}`, headers: { cookie: `order-${id}=${secret}` } });

describe('a page with the web component of Stripe', () => {
  it('loads the script of Stripe and allows what Stripe needs, on this page only', async () => {
    const order = await hold();
    const before = await open(order);
    expect(before.body).not.toContain('js.stripe.com');
    expect(before.headers['content-security-policy']).not.toContain('stripe');

    await start(order, { method: 'card' });
    const page = await open(order);
    expect(page.body).toMatch(/<script src="https:\/\/js\.stripe\.com\/\w+\/stripe\.js" defer/);
    expect(page.body).toMatch(/data-key="pk_test_tessera" data-secret="pi_\w+_secret_\w+"/);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("script-src 'self' https://js.stripe.com https://*.js.stripe.com;");
    expect(policy).toContain("connect-src 'self' https://api.stripe.com;");
    expect(policy).toContain('frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;');
    expect(page.headers['cache-control']).toBe('no-store');
  });
});

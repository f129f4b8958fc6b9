import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../../src/demo/people.ts';
import { totpCode } from '../authenticator.ts';
import { hasBrowser, screens } from './use-browser.ts';
import { complete, useConsole } from './use-console.ts';

/**
 * Browsers create passkeys for a name, not for the address of a network, and the service checks the name and the port. It does not know its own
 * port before it starts, so the browser uses the port of this server, which only forwards.
 */
const forwarder = createServer((socket) => {
  const service = connect(Number(new URL(shop.service.origin).port));
  pipeline(socket, service, socket, () => {});
});
let site = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => void forwarder.listen(0, '127.0.0.1', resolve));
  site = `http://localhost:${(forwarder.address() as AddressInfo).port}`;
});
afterAll(() => void forwarder.close());

const shop = useConsole(() => ({ PUBLIC_URL: site }));

const fillSignIn = async (page: Page, email: string, password = demoPassword) => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
};

const heading = (page: Page) => page.locator('h1').innerText();

/** Changes the producer as another person does, in another browser. */
async function changeElsewhere(change: object): Promise<void> {
  const { token } = await shop.service.logIn('admin@demo.test');
  const response = await fetch(`${shop.service.origin}/v1/producers/1`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  expect(response.status).toBe(200);
}

describe.skipIf(!hasBrowser)('the frame of the console', () => {
  it('a deep link asks for the password, says when it is wrong, then shows the screen; all tabs sign out together', async () => {
    const page = await shop.visit('/console/producers/1/members', { locale: 'en' });
    await fillSignIn(page, 'producer@demo.test', 'wrong password');
    await page.getByText('The e-mail or the password is wrong.').waitFor();
    await fillSignIn(page, 'producer@demo.test');
    await complete(page, '.table');
    expect([await heading(page), new URL(page.url()).pathname]).toEqual(['Aurora Produções', '/console/producers/1/members']);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, httpOnly, sameSite }) => [name.endsWith('session'), httpOnly, sameSite])).toEqual([[true, true, 'Strict']]);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toMatch(/eyJ|oken/);

    const second = await page.context().newPage();
    await second.goto('/console/account');
    await complete(second, 'form');
    await second.locator('.account-menu summary').click();
    await second.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, second]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await second.reload();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('links, the back button, the title and the focus follow the screen', async () => {
    const page = await shop.signIn('producer@demo.test');
    await complete(page, '.table');
    await page.getByLabel('Search events').fill('samba');
    await expect.poll(() => page.url()).toContain('term=samba');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('link', { name: 'Producers' }).click();
    await page.getByRole('link', { name: 'Aurora Produções' }).click();
    await complete(page, 'form');
    await expect.poll(() => page.title()).toBe('Aurora Produções · Tessera');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.goBack();
    await page.goBack();
    await complete(page, '.table');
    expect([await page.getByLabel('Search events').inputValue(), await page.title()]).toEqual(['samba', 'Events · Tessera']);
  });

  it('a form keeps what was typed when the network fails and after a reload, and shows both versions after a conflict', async () => {
    const page = await shop.signIn('producer@demo.test', '/producers/1');
    await complete(page, 'form');
    await page.getByLabel('Name', { exact: true }).fill('Aurora Nova');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service cannot be reached.').waitFor({ timeout: 60_000 });
    await page.context().setOffline(false);
    await page.reload();
    await complete(page, 'form');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Aurora Nova');

    await changeElsewhere({ name: 'Aurora do Sul', description: 'Desde 2010.' });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this in the meantime' });
    await dialog.waitFor();
    const text = await dialog.innerText();
    for (const part of ['Aurora Nova', 'Aurora do Sul', 'Desde 2010.']) expect(text).toContain(part);
    await dialog.getByRole('button', { name: 'Save this choice' }).click();
    await page.getByText('Saved.').waitFor();
    // The reader's own name, and the description of the other person.
    await page.reload();
    await complete(page, 'form');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Aurora Nova');
    expect(await page.getByLabel('Description').inputValue()).toBe('Desde 2010.');
  });

  it('an authenticator app is added with its QR code, and is asked for at the next sign-in', async () => {
    const page = await shop.signIn('other@demo.test', '/account/security');
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByLabel('Your password').fill(demoPassword);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('img.qr').waitFor();
    expect(await page.evaluate("document.querySelector('img.qr').naturalWidth")).toBeGreaterThan(0);
    const secret = await page.locator('dialog code').innerText();
    await page.getByLabel('Six digits').fill(totpCode(secret, new Date()));
    await page.getByRole('button', { name: 'Turn on the second factor' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    const [recoveryCode = ''] = await page.locator('.codes li').allInnerTexts();
    await page.getByRole('button', { name: 'I have stored the codes' }).click();

    const next = await shop.visit('/console/account/security', { locale: 'en' });
    await fillSignIn(next, 'other@demo.test');
    await next.getByRole('heading', { name: 'Second factor' }).waitFor();
    await next.getByLabel(/^Code of your authenticator app/).fill('000000');
    await next.keyboard.press('Enter');
    await next.getByText('This code is wrong or was used before.').waitFor();
    await next.getByLabel(/^Code of your authenticator app/).fill(recoveryCode);
    await next.keyboard.press('Enter');
    await next.getByText('9 recovery codes are left.').waitFor();
  });

  it('a passkey is added, is asked for at the next sign-in, and is removed', async () => {
    const page = await shop.visit(`${site}/console/account/security`, { viewport: screens.desktop, locale: 'en' });
    await fillSignIn(page, 'sales@demo.test');
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('WebAuthn.enable');
    const key = { protocol: 'ctap2', transport: 'internal', hasUserVerification: true, isUserVerified: true } as const;
    await devTools.send('WebAuthn.addVirtualAuthenticator', { options: key });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Your password').fill(demoPassword);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'I have stored the codes' }).click();
    const passkey = page.getByRole('listitem').filter({ hasText: 'Security key' });
    await passkey.waitFor();

    await page.locator('.account-menu summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await fillSignIn(page, 'sales@demo.test');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await passkey.getByText('last used').waitFor();
    await passkey.getByRole('button').click();
    await page.getByLabel('Your password').fill(demoPassword);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByText('Your password is enough to sign in.').waitFor();
    expect(await passkey.count()).toBe(0);
  });

  it('the screens of an event say whose time they show, if the reader is in another time zone', async () => {
    for (const [timezoneId, told] of [
      ['Asia/Tokyo', ['All times are those of the event: Brasilia Standard Time.']],
      ['America/Sao_Paulo', []],
    ] as const) {
      const page = await shop.visit('/console/events/1/tickets', { locale: 'en', timezoneId });
      await fillSignIn(page, 'producer@demo.test');
      await complete(page, '.tickets');
      expect(await page.getByText('All times are').allInnerTexts()).toEqual(told);
    }
  });

  it('the search finds screens, events and orders of the event by the keyboard alone', async () => {
    const page = await shop.signIn('producer@demo.test', '/account');
    await complete(page, 'form');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('prod');
    await page.keyboard.press('Enter');
    await complete(page, '.table');
    expect(new URL(page.url()).pathname).toBe('/console/producers');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('velha gua');
    await page.getByRole('option', { name: 'Noite de Samba com Velha Guarda' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/events/1');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('order');
    // The screens of the event are offered when the event is loaded.
    await page.getByRole('option', { name: 'Orders' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/events/1/orders');
  });
});

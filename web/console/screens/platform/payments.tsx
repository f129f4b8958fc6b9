import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import type { SystemHealth } from './trouble.ts';

/** The providers that `PAYMENTS` can list, and the variables that each of them needs. */
const providers = [
  {
    name: 'stripe',
    label: 'Stripe',
    variables: ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'],
    hasNotices: true,
  },
  { name: 'mercadopago', label: 'Mercado Pago', variables: ['MERCADOPAGO_ACCESS_TOKEN', 'MERCADOPAGO_WEBHOOK_SECRET'], hasNotices: true },
  { name: 'cash', label: null, variables: [], hasNotices: false },
  { name: 'sandbox', label: null, variables: [], hasNotices: false },
] as const;

type Methods = SystemHealth['payments']['methods'];

/** Which payments the shop accepts. They are settings of the service, so this screen says what to set. */
export function Payments() {
  const { client } = useConsole();
  const t = useMessages<PlatformMessages>();
  const health = useData((signal) => client.system.health({}, { signal }), []);
  return (
    <>
      <PageHead title={t.tiles.payments.title} about={t.payments.about} back={{ href: to('/platform'), label: t.title }} />
      <Show of={health}>
        {({ payments: { testMoney, methods } }) => (
          <>
            {testMoney ? (
              <Notice tone="warn" title={t.testMoney.title}>
                {t.testMoney.text}
              </Notice>
            ) : (
              <Notice tone="ok">{t.payments.realMoney}</Notice>
            )}
            <div class="platform-providers">
              {providers.map((provider) => (
                <Provider key={provider.name} {...provider} methods={methods.filter((method) => method.provider === provider.name)} />
              ))}
            </div>
          </>
        )}
      </Show>
    </>
  );
}

function Provider({ name, label, variables, hasNotices, methods }: (typeof providers)[number] & { methods: Methods }) {
  const t = useMessages<PlatformMessages>();
  const isOn = methods.length > 0;
  const noticesAddress = `${location.origin}/v1/payments/${name}/notices`;
  return (
    <section class="panel">
      <h2>
        {label ?? t.payments[name]} <span class={`pill ${isOn ? 'ok' : ''}`}>{isOn ? t.payments.on : t.payments.off}</span>
      </h2>
      {isOn ? (
        <ul class="plain-list">
          {methods.map(({ method, currencies }) => (
            <li key={method}>
              <b>{t.methods[method]}</b>{' '}
              <span class="soft">{currencies === null ? t.payments.allCurrencies : currenciesText(currencies)}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="soft">{fill(t.payments.turnOn, { name })}</p>
      )}
      {variables.length > 0 && (
        <p class="small soft">
          {t.payments.needs}{' '}
          {variables.map((variable) => (
            <code key={variable} class="platform-variable">
              {variable}
            </code>
          ))}
        </p>
      )}
      {hasNotices && (
        <div>
          <p class="small soft">{t.payments.notices}</p>
          <p>
            <code class="secret">{noticesAddress}</code>
          </p>
          <CopyButton text={noticesAddress} label={t.payments.copy} />
        </div>
      )}
    </section>
  );
}

const shownCurrencies = 6;

const currenciesText = (currencies: readonly string[]): string =>
  currencies.length > shownCurrencies
    ? `${currencies.slice(0, shownCurrencies).join(', ')} + ${currencies.length - shownCurrencies}`
    : currencies.join(', ');

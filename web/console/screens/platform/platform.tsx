import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { plural } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { troubles } from './trouble.ts';
import './platform.css';

const tiles = [
  { name: 'home', path: '/platform/home', icon: icons.grid },
  { name: 'producers', path: '/producers', icon: icons.building },
  { name: 'users', path: '/platform/users', icon: icons.people },
  { name: 'categories', path: '/platform/categories', icon: icons.columns },
  { name: 'tax', path: '/platform/tax', icon: icons.receipt },
  { name: 'payments', path: '/platform/payments', icon: icons.card },
  { name: 'mailbox', path: '/platform/mailbox', icon: icons.mail },
  { name: 'health', path: '/platform/health', icon: icons.chart },
] as const;

/** The start of the platform: whether it works, and where its settings are. */
export function Platform() {
  const t = useMessages<PlatformMessages>();
  return (
    <>
      <PageHead title={t.title} />
      <State />
      <ul class="platform-tiles">
        {tiles.map(({ name, path, icon }) => (
          <li key={name}>
            <a class="platform-tile" href={to(path)}>
              <Icon path={icon} size={24} />
              <b>{t.tiles[name].title}</b>
              <span class="soft small">{t.tiles[name].text}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function State() {
  const { client, locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const health = useData((signal) => client.system.health({}, { signal }), []);
  return (
    <Show of={health} skeleton={<div class="skeleton platform-state" />}>
      {(data) => {
        const found = troubles(data);
        return (
          <>
            {data.payments.testMoney && (
              <Notice tone="warn" title={t.testMoney.title}>
                {t.testMoney.text}
              </Notice>
            )}
            {found.length === 0 ? (
              <Notice tone="ok">{t.health.allWell}</Notice>
            ) : (
              <Notice tone="bad" title={plural(locale, t.health.troubles, found.length)}>
                <a href={to('/platform/health')}>{t.health.look}</a>
              </Notice>
            )}
          </>
        );
      }}
    </Show>
  );
}

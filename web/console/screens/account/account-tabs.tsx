import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { useMessages } from '../../app/console.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';

/** The head that the screens of the account share. */
export function AccountTabs() {
  const t = useMessages<AccountMessages>();
  const items = [
    { path: '/account', label: t.tabs.profile },
    { path: '/account/security', label: t.tabs.security },
    { path: '/account/tokens', label: t.tabs.tokens },
  ];
  return (
    <>
      <PageHead title={t.title} />
      <Tabs label={t.title} items={items} />
    </>
  );
}

import { useConsole } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { AccountTabs } from './account-tabs.tsx';
import { Factors } from './factors.tsx';
import { Sessions } from './sessions.tsx';

/** How the user signs in besides the password, and where. */
export function Security() {
  const { client } = useConsole();
  const factors = useData((signal) => client.factors.list({}, { signal }), []);
  return (
    <>
      <AccountTabs />
      <Factors factors={factors} />
      <Sessions />
    </>
  );
}

import type { ComponentChildren } from 'preact';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';

interface ProducerHeadProps {
  producerId: string;
  title: string;
  children?: ComponentChildren;
}

/** The head that the screens of a producer share. */
export function ProducerHead({ producerId, title, children }: ProducerHeadProps) {
  const { can } = useConsole();
  const t = useMessages<ProducerMessages>();
  const scope = { producerId: Number(producerId) };
  const path = `/producers/${producerId}`;
  const items = [
    { path, label: t.tabs.profile },
    ...(can('members.read', scope) ? [{ path: `${path}/members`, label: t.tabs.members }] : []),
    ...(can('members.manage', scope) ? [{ path: `${path}/payout`, label: t.tabs.payout }] : []),
    ...(can('webhook.manage', scope) ? [{ path: `${path}/webhooks`, label: t.tabs.webhooks }] : []),
  ];
  return (
    <>
      <PageHead title={title} back={{ href: to('/producers'), label: t.title }}>
        {children}
      </PageHead>
      <Tabs label={title} items={items} />
    </>
  );
}

import { useState } from 'preact/hooks';
import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { Notice } from '../../../ui/notice.tsx';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import type { Item } from '../../parts/item.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { DateStep } from './date-step.tsx';
import { EventStep } from './event-step.tsx';
import { PricesStep } from './prices-step.tsx';
import { reachedStep, type Step, steps } from './progress.ts';
import { PublishStep } from './publish-step.tsx';
import { Steps } from './steps.tsx';
import { TicketsStep } from './tickets-step.tsx';

export interface StepProps {
  items: Item[];
  /** Goes to the next step. */
  next: () => void;
}

const screens = { event: EventStep, date: DateStep, tickets: TicketsStep, prices: PricesStep, publish: PublishStep };

/** One step on the way to an event on sale. Without a step in the address, it continues where the reader left. */
export function Setup({ params }: ScreenProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<CreateMessages>();
  const items = useData(async (signal) => (await client.items.list({ eventId: event.id, pageSize: 200 }, { signal })).data, [event.id]);
  const reached = items.data && reachedStep(event, items.data);
  const wanted = steps.find((step) => step === params.step);
  const isAhead = wanted && reached && steps.indexOf(wanted) > steps.indexOf(reached);
  const current: Step = (isAhead ? reached : wanted) ?? reached ?? 'date';
  // The last step publishes the event. The notice would be shown until the next screen is loaded.
  const [wasDraft] = useState(event.status === 'draft');
  const StepScreen = screens[current];
  const next = () => navigate(to(`/events/${event.id}/setup/${steps[steps.indexOf(current) + 1] ?? 'publish'}`));
  return (
    <>
      <Steps current={current} reached={reached ?? current} eventId={event.id} />
      <PageHead title={t[current].title} about={current === 'publish' ? event.title : t[current].text} />
      <Show of={items}>
        {(rows) => (
          <div class="narrow stack">
            {!wasDraft && <Notice tone="plain">{t.notDraft}</Notice>}
            <StepScreen key={current} items={rows} next={next} />
          </div>
        )}
      </Show>
    </>
  );
}

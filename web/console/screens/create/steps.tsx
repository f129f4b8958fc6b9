import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import './create.css';
import { type Step, steps } from './progress.ts';

interface StepsProps {
  current: Step;
  /** The step that the event has reached. Steps before it are done. Without it, there is no event yet. */
  reached?: Step;
  eventId?: number;
}

/** Where the reader is on the way to an event on sale. Steps that are reached are links. */
export function Steps({ current, reached = current, eventId }: StepsProps) {
  const t = useMessages<CreateMessages>();
  const limit = steps.indexOf(reached);
  return (
    <nav class="create-steps" aria-label={t.steps.label}>
      <p class="small soft">{fill(t.steps.position, { step: steps.indexOf(current) + 1, of: steps.length })}</p>
      <ol>
        {steps.map((step, index) => {
          const isDone = index < limit;
          const mark = (
            <>
              <span class="create-mark">{isDone ? <Icon path={icons.check} size={14} /> : index + 1}</span>
              <span class="create-name">{t.steps[step]}</span>
            </>
          );
          const isCurrent = step === current;
          return (
            <li key={step} class={isDone ? 'done' : ''} {...(isCurrent && { 'aria-current': 'step' })}>
              {eventId !== undefined && index <= limit && !isCurrent ? (
                <a href={to(`/events/${eventId}/setup/${step}`)}>{mark}</a>
              ) : (
                <span>{mark}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

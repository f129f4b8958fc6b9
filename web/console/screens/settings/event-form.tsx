import type { ComponentChildren } from 'preact';
import { etagOf, type InputOf } from '../../../../client/src/index.ts';
import { useConsole } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { Form } from '../../parts/form.tsx';

type Changes = Omit<InputOf<'updateEvent'>, 'id'>;

interface EventFormProps<V> {
  /** Unique among the forms of the event, for the draft. */
  name: string;
  valuesOf: (event: EventData) => V;
  /** What is sent. The default is the fields that the reader has changed. */
  changesOf?: (values: V, changed: Partial<V>) => Changes;
  /** Called after the changes were saved. */
  onDone?: () => void;
  children: ComponentChildren;
}

/** A form that changes fields of the event. After a conflict it shows both versions. */
export function EventForm<V extends object>({ name, valuesOf, changesOf, onDone, children }: EventFormProps<V>) {
  const { client, t: frame } = useConsole();
  const { event, version, set } = useEvent();
  const toast = useToast();
  return (
    <Form<V>
      draft={`event-${name}-${event.id}`}
      initial={valuesOf(event)}
      version={version}
      reread={async () => {
        const fresh = await client.events.get({ id: event.id });
        return { values: valuesOf(fresh), version: etagOf(fresh) };
      }}
      submit={async ({ values, changed, version: read }) => {
        if (Object.keys(changed).length === 0) return;
        const changes = changesOf ? changesOf(values, changed) : (changed as Changes);
        set(await client.events.update({ id: event.id, ...changes }, { ...(read && { ifMatch: read }) }));
      }}
      onDone={() => {
        toast(frame.saved);
        onDone?.();
      }}
      action={frame.save}
    >
      {children}
    </Form>
  );
}

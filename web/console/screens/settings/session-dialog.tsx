import { etagOf } from '../../../../client/src/index.ts';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DateTimeField, NumberField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { addHours, localNow, usualStart } from '../../parts/wall-clock.ts';
import type { Session } from './sessions.tsx';

interface Values {
  name: string;
  start: string;
  finish: string;
  capacity: number | null;
}

const valuesOf = ({ name, start, finish, capacity }: Session): Values => ({ name, start, finish, capacity });

/** A new session is suggested one day after the last one. */
function suggested({ sessions, timezone }: EventData): Values {
  const last = sessions.at(-1);
  if (last) return { ...valuesOf(last), name: '', start: addHours(last.start, 24), finish: addHours(last.finish, 24) };
  const start = usualStart(localNow(timezone));
  return { name: '', start, finish: addHours(start, 5), capacity: null };
}

export function SessionDialog({ session, onClose }: { session: Session | null; onClose: () => void }) {
  const { client, t: frame } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event, version, reload } = useEvent();
  const toast = useToast();
  const save = async (values: Values, changed: Partial<Values>, ifMatch: string | undefined) => {
    const options = { ...(ifMatch && { ifMatch }) };
    if (session) await client.sessions.update({ id: event.id, sessionId: session.id, ...values, ...changed }, options);
    else await client.sessions.create({ id: event.id, ...values });
    await reload();
  };
  return (
    <Dialog title={session ? fill(t.sessions.editTitle, { name: session.name }) : t.sessions.add} onClose={onClose}>
      <Form<Values>
        draft={`session-${event.id}-${session?.id ?? 'new'}`}
        initial={session ? valuesOf(session) : suggested(event)}
        version={version}
        reread={async () => {
          const fresh = await client.events.get({ id: event.id });
          const saved = fresh.sessions.find(({ id }) => id === session?.id);
          return { values: saved ? valuesOf(saved) : suggested(fresh), version: etagOf(fresh) };
        }}
        submit={({ values, changed, version: read }) => save(values, changed, read)}
        onDone={() => {
          toast(frame.saved);
          onClose();
        }}
        action={session ? frame.save : t.sessions.add}
      >
        <TextField name="name" label={t.sessions.name} placeholder={t.sessions.example} maxLength={200} required />
        <div class="columns">
          <DateTimeField name="start" label={t.sessions.start} required />
          <DateTimeField name="finish" label={t.sessions.finish} required />
        </div>
        <NumberField name="capacity" label={t.sessions.capacity} hint={t.sessions.capacityHint} min={0} max={100_000_000} />
      </Form>
    </Dialog>
  );
}

export function DuplicateSessionDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const { client } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event, reload } = useEvent();
  const toast = useToast();
  return (
    <Dialog title={fill(t.sessions.duplicateTitle, { name: session.name })} onClose={onClose}>
      <Form
        initial={{ name: session.name, shiftDays: 1 }}
        submit={async ({ values: { name, shiftDays } }) => {
          await client.sessions.duplicate({ id: event.id, sessionId: session.id, name, shiftDays });
          await reload();
        }}
        onDone={() => {
          toast(t.sessions.duplicated);
          onClose();
        }}
        action={t.sessions.duplicate}
      >
        <TextField name="name" label={t.sessions.name} maxLength={200} required />
        <NumberField name="shiftDays" label={t.sessions.shift} hint={t.sessions.shiftHint} min={-36_500} max={36_500} required />
      </Form>
    </Dialog>
  );
}

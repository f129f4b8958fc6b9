import { useEffect, useState } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { date } from '../../ui/format.ts';
import type { DoorInfo, EventChoice, Reply } from '../api.ts';
import { unlockSound } from '../feedback.ts';
import { useApp } from './context.ts';
import { submitting } from './submit.ts';

/** Choose the event, then the session and the gate. A paired device has only one event. */
export function Choose() {
  const { state } = useApp();
  return <main class="panel">{state.info ? <ChoosePlace info={state.info} /> : <ChooseEvent />}</main>;
}

function useProblem(): [string | null, (reply: Reply<unknown>) => void] {
  const { t } = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const show = (reply: Reply<unknown>) =>
    setProblem(reply.kind === 'ok' ? null : reply.kind === 'refused' ? t.choose.forbidden : t.choose.offline);
  return [problem, show];
}

function ChooseEvent() {
  const { door, t, locale } = useApp();
  const [events, setEvents] = useState<EventChoice[] | null>(null);
  const [problem, show] = useProblem();
  const load = async () => {
    const reply = await door.api.events();
    show(reply);
    if (reply.kind === 'ok') setEvents(reply.body.data.toSorted((a, b) => a.start.localeCompare(b.start)));
  };
  useEffect(() => void load(), []);
  return (
    <>
      <h1>{t.choose.title}</h1>
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      {problem && !events && (
        <button class="button secondary wide" type="button" onClick={() => void load()}>
          {t.choose.again}
        </button>
      )}
      {events?.length === 0 && <p>{t.choose.none}</p>}
      {!events && !problem && <div class="skeleton" />}
      <ul class="choices">
        {events?.map(({ id, title, start }) => (
          <li key={id}>
            <button type="button" onClick={() => void door.pickEvent(id).then(show)}>
              <strong>{title}</strong>
              <span class="soft">{date(start, 'moment', locale)}</span>
            </button>
          </li>
        ))}
      </ul>
      <SignOut />
    </>
  );
}

function ChoosePlace({ info }: { info: DoorInfo }) {
  const { door, t, locale, state } = useApp();
  const style = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: info.event.timezone } as const;
  const moment = (instant: string) => new Intl.DateTimeFormat(locale, style).format(Date.parse(instant));
  const before = state.choice?.eventId === info.event.id ? state.choice : null;
  const submit = submitting((field) => {
    unlockSound();
    const session = field('session');
    return door.pick({ eventId: info.event.id, sessionId: session === '' ? null : Number(session), gate: field('gate').trim() });
  });
  if (!info.mayScan) return <p role="alert">{t.choose.forbidden}</p>;
  return (
    <>
      <p class="soft">{t.choose.event}</p>
      <h1>{info.event.title}</h1>
      <form class="form" onSubmit={submit}>
        <Field id="session" label={t.choose.session}>
          {(attributes) => (
            <select class="input" name="session" defaultValue={String(before?.sessionId ?? '')} {...attributes}>
              <option value="">{t.choose.anySession}</option>
              {info.sessions.map(({ id, name, start }) => (
                <option key={id} value={id}>
                  {name} · {moment(start)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field id="gate" label={t.choose.gate} hint={t.choose.gateHint}>
          {(attributes) => (
            <input
              class="input"
              name="gate"
              maxLength={100}
              list="gates"
              autocomplete="off"
              defaultValue={before?.gate ?? info.device?.gate ?? ''}
              {...attributes}
            />
          )}
        </Field>
        <datalist id="gates">
          {info.gates.map((gate) => (
            <option key={gate} value={gate} />
          ))}
        </datalist>
        <button class="button wide" type="submit">
          {t.choose.start}
        </button>
      </form>
      <SignOut />
    </>
  );
}

function SignOut() {
  const { door, t } = useApp();
  return (
    <button class="text-button" type="button" onClick={() => void door.signOut()}>
      {t.choose.signOut}
    </button>
  );
}

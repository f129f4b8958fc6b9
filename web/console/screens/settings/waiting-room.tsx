import { useEffect } from 'preact/hooks';
import type { WaitingRoom as Room } from '../../../../src/waiting-room/contract.ts';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { DateTimeField, NumberField, SelectField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { SettingsHead } from './settings-head.tsx';

const refreshMs = 5_000;
const usualRate = 300;

/** The waiting room of the sale: its settings, and how many people wait. */
export function WaitingRoom() {
  const { client } = useConsole();
  const { event } = useEvent();
  const room = useData<Room>((signal) => client.waitingRoom.get({ id: event.id }, { signal }), [event.id]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && room.data && room.data.state !== 'off') void room.reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [room.data?.state]);
  return (
    <>
      <SettingsHead subject="waiting-room" />
      <Show of={room}>
        {(data) => (
          <div class="narrow stack">
            {data.state !== 'off' && <LiveNumbers room={data} set={room.set} />}
            <Settings key={data.state === 'off' || data.state === 'before' ? 'before' : 'open'} room={data} set={room.set} />
          </div>
        )}
      </Show>
    </>
  );
}

interface RoomProps {
  room: Room;
  set: (room: Room) => void;
}

const tones: Record<Room['state'], string> = { off: '', before: 'brand', open: 'ok', paused: 'warn' };

function LiveNumbers({ room, set }: RoomProps) {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<SettingsMessages>().room;
  const { event } = useEvent();
  const toast = useToast();
  const confirm = useConfirm();
  const number = (n: number) => new Intl.NumberFormat(locale).format(n);

  async function change(send: () => Promise<Room>, done: string): Promise<void> {
    try {
      set(await send());
      toast(done);
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  }
  const openNow = async () => {
    if (await confirm({ title: t.openNow, text: fill(t.openText, { waiting: number(room.waiting) }), action: t.openNow }))
      await change(() => client.waitingRoom.open({ id: event.id }), t.opened);
  };
  const pause = (paused: boolean) => change(() => client.waitingRoom.update({ id: event.id, paused }), paused ? t.pausedNow : t.resumed);
  const turnOff = async () => {
    if (
      !(await confirm({ title: t.turnOff, text: fill(t.turnOffText, { waiting: number(room.waiting) }), action: t.turnOff, danger: true }))
    )
      return;
    await change(async () => {
      await client.waitingRoom.delete({ id: event.id });
      return client.waitingRoom.get({ id: event.id });
    }, t.turnedOff);
  };
  return (
    <section class="panel stack">
      <h2>
        {t.now} <span class={`pill ${tones[room.state]}`}>{t.states[room.state]}</span>
      </h2>
      <dl class="room-numbers">
        <div>
          <dt>{t.waiting}</dt>
          <dd>{number(room.waiting)}</dd>
        </div>
        <div>
          <dt>{t.admitted}</dt>
          <dd>{number(room.admitted)}</dd>
        </div>
        <div>
          <dt>{t.perMinute}</dt>
          <dd>{number(room.perMinute)}</dd>
        </div>
      </dl>
      <div class="actions">
        {room.state === 'before' && (
          <button type="button" class="button" onClick={() => void openNow()}>
            {t.openNow}
          </button>
        )}
        {room.state === 'open' && (
          <button type="button" class="button secondary" onClick={() => void pause(true)}>
            {t.pause}
          </button>
        )}
        {room.state === 'paused' && (
          <button type="button" class="button" onClick={() => void pause(false)}>
            {t.resume}
          </button>
        )}
        <button type="button" class="button plain" onClick={() => void turnOff()}>
          {t.turnOff}
        </button>
      </div>
    </section>
  );
}

const valuesOf = ({ opensAt, admitPerMinute, perMinute, minutes, ordersPerPlace }: Room) => ({
  opensAt,
  mode: admitPerMinute === 'auto' ? 'auto' : 'fixed',
  admitPerMinute: admitPerMinute === 'auto' ? perMinute || usualRate : admitPerMinute,
  minutes,
  ordersPerPlace,
});

function Settings({ room, set }: RoomProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<SettingsMessages>().room;
  const { event } = useEvent();
  const toast = useToast();
  const isOff = room.state === 'off';
  const isChangeable = isOff || room.state === 'before';
  return (
    <section class="panel stack">
      <h2>{isOff ? t.setUp : t.settings}</h2>
      {isOff && <p>{t.about}</p>}
      <Form
        draft={`room-${event.id}`}
        initial={valuesOf(room)}
        submit={async ({ values: { opensAt, mode, admitPerMinute, ...values } }) => {
          const rate = mode === 'auto' ? ('auto' as const) : admitPerMinute;
          set(
            await client.waitingRoom.update({
              id: event.id,
              ...values,
              ...(isChangeable && opensAt && { opensAt }),
              admitPerMinute: rate,
            }),
          );
        }}
        onDone={() => toast(isOff ? t.turnedOn : frame.saved)}
        action={isOff ? t.turnOn : frame.save}
      >
        {isChangeable && <DateTimeField name="opensAt" label={t.opensAt} hint={t.opensAtHint} required />}
        <div class="columns">
          <SelectField
            name="mode"
            label={t.mode}
            options={[
              { value: 'auto', label: t.modes.auto },
              { value: 'fixed', label: t.modes.fixed },
            ]}
            required
          />
          <NumberField name="admitPerMinute" label={t.rate} hint={t.rateHint} min={1} max={60_000} required />
        </div>
        <div class="columns">
          <NumberField name="minutes" label={t.minutes} hint={t.minutesHint} min={2} max={30} required />
          <NumberField name="ordersPerPlace" label={t.orders} hint={t.ordersHint} min={1} max={10} required />
        </div>
      </Form>
    </section>
  );
}

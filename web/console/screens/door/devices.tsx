import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { DoorMessages } from '../../../messages/console/door.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';

type Device = AnswerOf<'listDevices'>['data'][number];
type NewDevice = AnswerOf<'createDevice'>;

const stateOf = ({ revokedAt, expiresAt }: Device): 'active' | 'expired' | 'revoked' => {
  if (revokedAt !== null) return 'revoked';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
};

/** The phones and scanners of the door. */
export function Devices() {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<DoorMessages>();
  const [isAdding, setAdding] = useState(false);
  const devices = usePages(
    (cursor, signal) =>
      client.door.devices.list({ eventId: event.id, pageSize: 50, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [event.id],
  );
  const columns = useColumns(devices.reload);
  const close = () => {
    setAdding(false);
    void devices.reload();
  };
  return (
    <section class="panel door-devices">
      <div class="page-head-line">
        <div>
          <h2>{t.devices.title}</h2>
          <p class="soft">{t.devices.about}</p>
        </div>
        <button type="button" class="button secondary" onClick={() => setAdding(true)}>
          <Icon path={icons.plus} />
          {t.devices.add}
        </button>
      </div>
      <Show of={devices}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.scan} title={t.devices.none.title} text={t.devices.none.text} />
          ) : (
            <Table name="devices" caption={t.devices.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={devices.more} />
          )
        }
      </Show>
      {isAdding && <AddDevice onClose={close} />}
    </section>
  );
}

const tones = { active: 'ok', expired: '', revoked: 'bad' };

function useColumns(reload: () => Promise<void>): Column<Device>[] {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<DoorMessages>();
  const revoke = useRevoke(reload);
  const at = (text: string) => instant(text, 'shortMoment', locale, event.timezone);
  return [
    { key: 'name', label: t.devices.name, cell: ({ name }) => <b>{name}</b> },
    { key: 'gate', label: t.devices.gate, cell: ({ gate }) => gate ?? <span class="soft">{t.devices.anyGate}</span> },
    { key: 'seen', label: t.devices.seen, cell: ({ lastSeenAt }) => (lastSeenAt ? at(lastSeenAt) : t.devices.never) },
    {
      key: 'status',
      label: t.devices.status,
      cell: (device) => (
        <span class="pills">
          <span class={`pill ${tones[stateOf(device)]}`}>{t.devices[stateOf(device)]}</span>
          {stateOf(device) === 'active' && <span class="soft small">{fill(t.devices.until, { when: at(device.expiresAt) })}</span>}
        </span>
      ),
    },
    {
      key: 'actions',
      label: t.devices.actions,
      align: 'end',
      cell: (device) =>
        stateOf(device) === 'active' && (
          <button type="button" class="button plain" aria-label={`${t.devices.revoke}: ${device.name}`} onClick={() => void revoke(device)}>
            {t.devices.revoke}
          </button>
        ),
    },
  ];
}

function useRevoke(reload: () => Promise<void>) {
  const { client, t: frame } = useConsole();
  const { event } = useEvent();
  const t = useMessages<DoorMessages>();
  const confirm = useConfirm();
  const toast = useToast();
  return async ({ id, name }: Device) => {
    const question = { title: fill(t.revoking.title, { name }), text: t.revoking.text, action: fill(t.revoking.action, { name }) };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await client.door.devices.revoke({ eventId: event.id, deviceId: id });
      toast(fill(t.revoking.done, { name }));
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
}

/** Asks for a name, then shows the pairing code. The server stores only its hash, so it cannot be shown again. */
function AddDevice({ onClose }: { onClose: () => void }) {
  const { client, locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<DoorMessages>();
  const [added, setAdded] = useState<NewDevice | null>(null);
  if (!added) {
    type Values = { name: string; gate: string | null };
    const submit = async ({ name, gate }: Values) =>
      setAdded(await client.door.devices.create({ eventId: event.id, name, ...(gate && { gate }) }));
    return (
      <Dialog title={t.adding.title} onClose={onClose}>
        <Form<Values> initial={{ name: '', gate: null }} submit={({ values }) => submit(values)} action={t.adding.action}>
          <TextField name="name" label={t.adding.name} hint={t.adding.nameHint} maxLength={100} autocomplete="off" required autofocus />
          <TextField name="gate" label={t.adding.gate} hint={t.adding.gateHint} maxLength={100} autocomplete="off" />
        </Form>
      </Dialog>
    );
  }
  return (
    <Dialog title={fill(t.pairing.title, { name: added.name })} onClose={onClose}>
      <div class="stack">
        <p>{t.pairing.text}</p>
        <div class="door-pairing">
          <QrCode text={added.link} label={t.pairing.qr} />
        </div>
        <p class="soft small">{fill(t.pairing.once, { when: instant(added.expiresAt, 'moment', locale, event.timezone) })}</p>
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {t.pairing.done}
          </button>
          <CopyButton text={added.link} label={t.pairing.copy} />
        </div>
      </div>
    </Dialog>
  );
}

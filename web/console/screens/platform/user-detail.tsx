import type { AnswerOf } from '../../../../client/src/index.ts';
import { etagOf } from '../../../../client/src/index.ts';
import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Notice } from '../../../ui/notice.tsx';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { errorText, Show } from '../../parts/show.tsx';

type User = AnswerOf<'getUser'>;

interface PartProps {
  user: User;
  onChange: (user: User) => void;
}

/** One user: name, roles, and whether the user may sign in. */
export function UserDetail({ params }: ScreenProps) {
  const { client } = useConsole();
  const t = useMessages<PlatformMessages>();
  const id = Number(params.userId);
  const user = useData((signal) => client.users.get({ id }, { signal }), [id]);
  const roles = useData((signal) => client.users.roles({ id }, { signal }), [id]);
  return (
    <>
      <PageHead title={user.data?.name ?? t.users.user} back={{ href: to('/platform/users'), label: t.tiles.users.title }} />
      <Show of={user}>
        {(data) => (
          <>
            {data.disabled && (
              <Notice tone="bad" title={t.users.disabled}>
                {t.users.disabledText}
              </Notice>
            )}
            <div class="platform-columns">
              <Profile user={data} onChange={user.set} />
              <div class="stack">
                <section class="panel">
                  <h2>{t.users.roles}</h2>
                  <Show of={roles}>{(found) => <Roles roles={found} isAdmin={data.admin} />}</Show>
                </section>
                <Access user={data} onChange={user.set} />
              </div>
            </div>
          </>
        )}
      </Show>
    </>
  );
}

const valuesOf = ({ name, email }: User) => ({ name, email });

function Profile({ user, onChange }: PartProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<PlatformMessages>();
  const toast = useToast();
  return (
    <section class="panel">
      <h2>{t.users.profile}</h2>
      <Form
        draft={`user-${user.id}`}
        initial={valuesOf(user)}
        version={etagOf(user)}
        reread={async () => {
          const fresh = await client.users.get({ id: user.id });
          return { values: valuesOf(fresh), version: etagOf(fresh) };
        }}
        submit={async ({ values, version }) =>
          onChange(await client.users.update({ id: user.id, ...values }, { ...(version && { ifMatch: version }) }))
        }
        onDone={() => toast(frame.saved)}
        action={frame.save}
      >
        <TextField name="name" label={t.users.name} maxLength={200} required />
        <TextField name="email" type="email" label={t.users.email} maxLength={254} required />
      </Form>
    </section>
  );
}

function Roles({ roles: { producers, events }, isAdmin }: { roles: AnswerOf<'getUserRoles'>; isAdmin: boolean }) {
  const t = useMessages<PlatformMessages>();
  if (producers.length + events.length === 0 && !isAdmin) return <p class="soft">{t.users.noRoles}</p>;
  return (
    <ul class="rows">
      {isAdmin && (
        <li>
          <b>{t.users.everything}</b>
          <span class="pill brand">{t.users.admin}</span>
        </li>
      )}
      {producers.map(({ id, name, role }) => (
        <li key={`producer ${id}`}>
          <a href={to(`/producers/${id}`)}>{name}</a>
          <span class="pill">{t.roles[role]}</span>
        </li>
      ))}
      {events.map(({ id, title, role }) => (
        <li key={`event ${id}`}>
          <a href={to(`/events/${id}`)}>{title}</a>
          <span class="pill">{t.roles[role]}</span>
        </li>
      ))}
    </ul>
  );
}

function Access({ user, onChange }: PartProps) {
  const { client, me, t: frame } = useConsole();
  const t = useMessages<PlatformMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const { id, name, email, admin, disabled } = user;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const change = (changes: { admin?: boolean; disabled?: boolean }) =>
    attempt(async () => onChange(await client.users.update({ id, ...changes })));

  const sendLink = () =>
    attempt(async () => {
      await client.auth.requestPasswordReset({ email });
      toast(fill(t.users.linkSent, { email }));
    });
  const disable = async () => {
    const isSure = await confirm({
      title: fill(t.users.disableName, { name }),
      text: fill(t.users.disableText, { name }),
      action: t.users.disable,
      danger: true,
    });
    if (!isSure) return;
    await change({ disabled: true });
    toast(fill(t.users.disabledNow, { name }), { action: { label: frame.undo, run: () => change({ disabled: false }) } });
  };
  const makeAdmin = async () => {
    const isSure = await confirm({
      title: fill(t.users.adminName, { name }),
      text: t.users.adminText,
      action: t.users.makeAdmin,
      typed: email,
    });
    if (isSure) await change({ admin: true });
  };
  return (
    <section class="panel">
      <h2>{t.users.access}</h2>
      <div class="actions">
        {!disabled && (
          <button type="button" class="button plain" onClick={() => void sendLink()}>
            {t.users.sendLink}
          </button>
        )}
        <button type="button" class="button plain" onClick={() => void (admin ? change({ admin: false }) : makeAdmin())}>
          {admin ? t.users.endAdmin : t.users.makeAdmin}
        </button>
        {disabled ? (
          <button type="button" class="button" onClick={() => void change({ disabled: false })}>
            {t.users.enable}
          </button>
        ) : (
          me?.id !== id && (
            <button type="button" class="button danger" onClick={() => void disable()}>
              {t.users.disable}
            </button>
          )
        )}
      </div>
      <p class="field-hint">{t.users.accessHint}</p>
    </section>
  );
}

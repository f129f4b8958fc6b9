import { useState } from 'preact/hooks';
import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckboxField, TextField } from '../../parts/fields.tsx';
import { SearchFilter } from '../../parts/filters.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';

/** Everybody who has an account. */
export function UserList({ query }: ScreenProps) {
  const { client, locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const [isAdding, setAdding] = useState(false);
  const term = query.get('term') ?? '';
  const users = usePages(
    (cursor, signal) =>
      client.users.list({ pageSize: 25, count: true, ...(term && { term }), ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [term],
  );
  type Row = NonNullable<typeof users.data>[number];
  const columns: Column<Row>[] = [
    { key: 'name', label: t.users.name, cell: ({ name }) => name, sort: ({ name }) => name },
    { key: 'email', label: t.users.email, cell: ({ email }) => email, sort: ({ email }) => email },
    {
      key: 'state',
      label: t.state,
      cell: ({ admin, disabled }) => (
        <span class="platform-pills">
          {disabled ? <span class="pill bad">{t.users.disabled}</span> : <span class="pill ok">{t.users.active}</span>}
          {admin && <span class="pill brand">{t.users.admin}</span>}
        </span>
      ),
    },
    { key: 'created', label: t.users.created, cell: ({ createdAt }) => instant(createdAt, 'yearDay', locale), optional: true },
  ];
  return (
    <>
      <PageHead title={t.tiles.users.title} back={{ href: to('/platform'), label: t.title }}>
        <button type="button" class="button" onClick={() => setAdding(true)}>
          <Icon path={icons.plus} />
          {t.users.add}
        </button>
      </PageHead>
      <div class="filters">
        <SearchFilter label={t.users.search} />
      </div>
      <Show of={users}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={icons.search}
              title={t.users.none.title}
              text={t.users.none.text}
              action={{ href: to('/platform/users'), label: t.users.none.clear }}
            />
          ) : (
            <Table
              name="users"
              caption={t.tiles.users.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              href={({ id }) => to(`/platform/users/${id}`)}
              more={users.more}
            />
          )
        }
      </Show>
      {isAdding && <NewUser onClose={() => setAdding(false)} />}
    </>
  );
}

function NewUser({ onClose }: { onClose: () => void }) {
  const { client } = useConsole();
  const t = useMessages<PlatformMessages>();
  const toast = useToast();
  const submit = async ({ invite, ...user }: { email: string; name: string; admin: boolean; invite: boolean }) => {
    const { id, email } = await client.users.create(user);
    if (invite) await client.auth.requestPasswordReset({ email });
    toast(fill(invite ? t.users.invited : t.users.added, { email }));
    navigate(to(`/platform/users/${id}`));
  };
  return (
    <Dialog title={t.users.add} onClose={onClose}>
      <Form
        draft="new-user"
        initial={{ email: '', name: '', admin: false, invite: true }}
        submit={({ values }) => submit(values)}
        action={t.users.create}
      >
        <TextField name="email" type="email" label={t.users.email} maxLength={254} autocomplete="off" required autofocus />
        <TextField name="name" label={t.users.name} maxLength={200} autocomplete="off" required />
        <CheckboxField name="invite" label={t.users.invite} hint={t.users.inviteHint} />
        <CheckboxField name="admin" label={t.users.makeAdmin} hint={t.users.adminHint} />
      </Form>
    </Dialog>
  );
}

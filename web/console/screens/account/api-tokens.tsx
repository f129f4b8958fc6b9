import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { AccountTabs } from './account-tabs.tsx';
import { NewApiToken } from './new-api-token.tsx';

type ApiToken = AnswerOf<'listApiTokens'>['data'][number];

/** The tokens of programs that act for the user. */
export function ApiTokens() {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<AccountMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const tokens = usePages(
    (cursor, signal) => client.apiTokens.list({ pageSize: 50, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [],
  );
  const revoke = async ({ id, name }: ApiToken) => {
    const question = { title: fill(t.tokens.revokeTitle, { name }), text: t.tokens.revokeText, action: t.tokens.revoke, danger: true };
    if (!(await confirm(question))) return;
    try {
      await client.apiTokens.revoke({ id });
      toast(fill(t.tokens.revoked, { name }));
      await tokens.reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const created = (token: string) => {
    setCreating(false);
    setSecret(token);
    void tokens.reload();
  };
  const columns: Column<ApiToken>[] = [
    { key: 'name', label: t.tokens.name, cell: ({ name }) => <b>{name}</b>, sort: ({ name }) => name },
    {
      key: 'permissions',
      label: t.tokens.permissions,
      cell: ({ permissions }) => permissions.map((name) => t.permissions[name]).join(', '),
    },
    {
      key: 'events',
      label: t.tokens.events,
      cell: ({ eventIds }) => (eventIds ? plural(locale, t.tokens.onlyEvents, eventIds.length) : t.tokens.allEvents),
    },
    {
      key: 'expires',
      label: t.tokens.expires,
      cell: ({ expiresAt }) => instant(expiresAt, 'yearDay', locale),
      sort: ({ expiresAt }) => expiresAt,
    },
    {
      key: 'revoke',
      label: t.tokens.revoke,
      cell: (token) => (
        <button
          type="button"
          class="button plain"
          aria-label={fill(t.tokens.revokeTitle, { name: token.name })}
          onClick={() => void revoke(token)}
        >
          {t.tokens.revoke}
        </button>
      ),
    },
  ];
  return (
    <>
      <AccountTabs />
      <div class="actions spread">
        <p class="soft">{t.tokens.text}</p>
        <button type="button" class="button secondary" onClick={() => setCreating(true)}>
          <Icon path={icons.plus} size={18} />
          {t.tokens.create}
        </button>
      </div>
      <Show of={tokens}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.key} title={t.tokens.none} text={t.tokens.noneText} />
          ) : (
            <Table name="api-tokens" caption={t.tokens.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={tokens.more} />
          )
        }
      </Show>
      {isCreating && <NewApiToken onClose={() => setCreating(false)} onCreated={created} />}
      {secret !== null && (
        <Dialog title={t.tokens.newTitle} onClose={() => setSecret(null)}>
          <p>{t.tokens.newText}</p>
          <p class="codes secret">{secret}</p>
          <div class="actions">
            <CopyButton text={secret} label={t.tokens.copy} />
            <button type="button" class="button plain" onClick={() => setSecret(null)}>
              {t.tokens.done}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { errorText, Show } from '../../parts/show.tsx';

/** The sessions of the user. Each can be ended, for example after a phone was lost. */
export function Sessions() {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<AccountMessages>();
  const toast = useToast();
  const sessions = usePages(
    (cursor, signal) => client.loginSessions.list({ pageSize: 25, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [],
  );
  const attempt = async (work: () => Promise<string>) => {
    try {
      toast(await work());
      await sessions.reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const end = (id: string) =>
    attempt(async () => {
      await client.loginSessions.revoke({ id });
      return t.sessions.ended;
    });
  const endOthers = () =>
    attempt(async () => {
      const { revoked } = await client.loginSessions.revokeOthers();
      return plural(locale, t.sessions.endedOthers, revoked);
    });
  const day = (text: string) => instant(text, 'yearMoment', locale);
  return (
    <section class="panel">
      <h2>{t.sessions.title}</h2>
      <p class="soft">{t.sessions.text}</p>
      <Show of={sessions}>
        {(rows) => (
          <>
            <ul class="rows">
              {rows.map(({ id, device, lastUsedAt, createdAt, current }) => (
                <li key={id}>
                  <span>
                    <span>
                      <b>{device ?? t.sessions.unknown}</b> {current && <span class="pill ok">{t.sessions.current}</span>}
                    </span>
                    <span class="soft small">{fill(t.sessions.used, { used: day(lastUsedAt), created: day(createdAt) })}</span>
                  </span>
                  {!current && (
                    <button
                      type="button"
                      class="button plain"
                      aria-label={fill(t.sessions.endOf, { device: device ?? t.sessions.unknown })}
                      onClick={() => void end(id)}
                    >
                      {t.sessions.end}
                    </button>
                  )}
                </li>
              ))}
            </ul>
            <div class="actions">
              {sessions.more && (
                <button type="button" class="button secondary" onClick={() => void sessions.more?.()}>
                  {frame.table.more}
                </button>
              )}
              {rows.length > 1 && (
                <button type="button" class="button danger" onClick={() => void endOthers()}>
                  {t.sessions.endOthers}
                </button>
              )}
            </div>
          </>
        )}
      </Show>
    </section>
  );
}

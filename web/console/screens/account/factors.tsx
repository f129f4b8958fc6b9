import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { hasPasskeys } from '../../app/passkeys.ts';
import { useToast } from '../../app/toasts.tsx';
import type { Loaded } from '../../app/use-data.ts';
import { Show } from '../../parts/show.tsx';
import { AddApp } from './add-app.tsx';
import { AddPasskey } from './add-passkey.tsx';
import { ProofDialog } from './proof-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type FactorList = AnswerOf<'listFactors'>;
type Factor = FactorList['data'][number];

type Open = { kind: 'app' | 'passkey' | 'renew' } | { kind: 'remove'; factor: Factor } | { kind: 'codes'; codes: string[] };

/** The second factors of the user, and the recovery codes. */
export function Factors({ factors }: { factors: Loaded<FactorList> }) {
  const { client } = useConsole();
  const t = useMessages<AccountMessages>();
  const toast = useToast();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const added = (codes: string[] | null) => {
    toast(t.factors.on);
    setOpen(codes && { kind: 'codes', codes });
    void factors.reload();
  };
  const remove = async ({ id, name }: Factor, password: string) => {
    await client.factors.remove({ id, password });
    toast(fill(t.factors.removed, { name }));
    close();
    await factors.reload();
  };
  const renew = async (password: string) => {
    const { recoveryCodes: codes } = await client.factors.renewRecoveryCodes({ password });
    setOpen({ kind: 'codes', codes });
    await factors.reload();
  };
  return (
    <section class="panel">
      <h2>{t.factors.title}</h2>
      <Show of={factors}>{(list) => <FactorRows list={list} onOpen={setOpen} />}</Show>
      {open?.kind === 'app' && <AddApp onClose={close} onAdded={added} />}
      {open?.kind === 'passkey' && <AddPasskey onClose={close} onAdded={added} />}
      {open?.kind === 'codes' && <RecoveryCodes codes={open.codes} onClose={close} />}
      {open?.kind === 'renew' && (
        <ProofDialog title={t.recovery.renew} text={t.recovery.renewText} action={t.recovery.renew} onProof={renew} onClose={close} />
      )}
      {open?.kind === 'remove' && (
        <ProofDialog
          title={fill(t.factors.removeTitle, { name: open.factor.name })}
          text={factors.data?.data.length === 1 ? t.factors.removeLast : t.factors.removeText}
          action={t.factors.remove}
          danger
          onProof={(password) => remove(open.factor, password)}
          onClose={close}
        />
      )}
    </section>
  );
}

function FactorRows({ list: { data, recoveryCodesLeft }, onOpen }: { list: FactorList; onOpen: (open: Open) => void }) {
  const { locale } = useConsole();
  const t = useMessages<AccountMessages>();
  const day = (text: string) => instant(text, 'yearDay', locale);
  return (
    <>
      {data.length === 0 && <p>{t.factors.none}</p>}
      {data.length > 0 && (
        <ul class="rows">
          {data.map((factor) => (
            <li key={factor.id}>
              <span>
                <b>{factor.name}</b>
                <span class="soft small">
                  {[
                    t.factors.kinds[factor.kind],
                    fill(t.factors.added, { date: day(factor.createdAt) }),
                    factor.lastUsedAt ? fill(t.factors.used, { date: day(factor.lastUsedAt) }) : t.factors.neverUsed,
                  ].join(' · ')}
                </span>
              </span>
              <button
                type="button"
                class="button plain"
                aria-label={fill(t.factors.removeTitle, { name: factor.name })}
                onClick={() => onOpen({ kind: 'remove', factor })}
              >
                {t.factors.remove}
              </button>
            </li>
          ))}
          <li>
            <span>
              <b>{t.recovery.title}</b>
              <span class="soft small">{plural(locale, t.recovery.left, recoveryCodesLeft)}</span>
            </span>
            <button type="button" class="button plain" onClick={() => onOpen({ kind: 'renew' })}>
              {t.recovery.renew}
            </button>
          </li>
        </ul>
      )}
      <div class="actions">
        {!data.some(({ kind }) => kind === 'totp') && (
          <button type="button" class="button secondary" onClick={() => onOpen({ kind: 'app' })}>
            <Icon path={icons.shield} size={18} />
            {t.factors.addApp}
          </button>
        )}
        {hasPasskeys ? (
          <button type="button" class="button secondary" onClick={() => onOpen({ kind: 'passkey' })}>
            <Icon path={icons.key} size={18} />
            {t.factors.addPasskey}
          </button>
        ) : (
          <p class="soft small">{t.factors.noPasskeys}</p>
        )}
      </div>
    </>
  );
}

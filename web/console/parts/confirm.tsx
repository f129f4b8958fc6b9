import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useId, useState } from 'preact/hooks';
import { fill } from '../../messages/fill.ts';
import { Field } from '../../ui/field.tsx';
import { useConsole } from '../app/console.ts';
import { Dialog } from './dialog.tsx';

interface Question {
  title: string;
  /** What will happen, with numbers: "12 paid orders will be refunded, R$ 1,056.00." */
  text: ComponentChildren;
  /** The label of the button. It says what it does: "Refund 12 orders". */
  action: string;
  /** The name that the reader must type first, for actions that cannot be undone. */
  typed?: string;
  danger?: boolean;
}

type Ask = (question: Question) => Promise<boolean>;

const Confirm = createContext<Ask>(async () => false);

/** `if (await confirm({ title, text, action: 'Delete the session', danger: true })) …` */
export const useConfirm = (): Ask => useContext(Confirm);

interface Asked extends Question {
  answer: (yes: boolean) => void;
}

export function ConfirmProvider({ children }: { children: ComponentChildren }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = useCallback<Ask>(
    (question) =>
      new Promise((resolve) => {
        const answer = (yes: boolean) => {
          setAsked(null);
          resolve(yes);
        };
        setAsked({ ...question, answer });
      }),
    [],
  );
  return (
    <Confirm.Provider value={ask}>
      {children}
      {asked && <ConfirmDialog {...asked} />}
    </Confirm.Provider>
  );
}

function ConfirmDialog({ title, text, action, typed, danger, answer }: Asked) {
  const { t } = useConsole();
  const [name, setName] = useState('');
  const id = useId();
  const isTyped = typed === undefined || name.trim() === typed.trim();
  const submit = (event: Event) => {
    event.preventDefault();
    if (isTyped) answer(true);
  };
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <form class="stack" onSubmit={submit}>
        <div>{text}</div>
        {typed !== undefined && (
          <Field id={id} label={fill(t.confirm.typeName, { name: typed })}>
            {(attributes) => (
              <input
                class="input"
                autocomplete="off"
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
                {...attributes}
              />
            )}
          </Field>
        )}
        <div class="actions">
          <button type="submit" class={`button ${danger ? 'danger' : ''}`} disabled={!isTyped}>
            {action}
          </button>
          <button type="button" class="button plain" onClick={() => answer(false)}>
            {t.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

import { TextField } from '../../ui/field.tsx';
import { useApp } from './context.ts';
import { Sheet } from './sheet.tsx';
import { submitting } from './submit.ts';

export function TypeCode({ scan, close }: { scan: (text: string) => void; close: () => void }) {
  const { t } = useApp();
  const submit = submitting((field) => {
    const text = field('code').trim();
    if (text === '') return;
    close();
    scan(text);
  });
  return (
    <Sheet title={t.type.title} close={close}>
      <form class="form" onSubmit={submit}>
        <TextField
          id="code"
          name="code"
          label={t.type.label}
          hint={t.type.hint}
          value=""
          maxLength={200}
          required
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
        />
        <button class="button wide" type="submit">
          {t.type.submit}
        </button>
      </form>
    </Sheet>
  );
}

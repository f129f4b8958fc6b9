import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useMessages } from '../../app/console.ts';

interface EntryActionsProps {
  name: string;
  edit: () => void;
  remove: () => void;
}

/** What can be done with a row of the home page. */
export function EntryActions({ name, edit, remove }: EntryActionsProps) {
  const t = useMessages<HomeMessages>();
  return (
    <span class="actions">
      <button type="button" class="text-button" aria-label={fill(t.editName, { name })} onClick={edit}>
        {t.edit}
      </button>
      <button type="button" class="text-button" aria-label={fill(t.removeName, { name })} onClick={remove}>
        {t.remove}
      </button>
    </span>
  );
}

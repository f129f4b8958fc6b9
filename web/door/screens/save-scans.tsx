import { useApp } from './context.ts';

/** Downloads the scans that were not sent, so that they survive even the loss of the browser's data. */
export function SaveScans() {
  const { door, t } = useApp();
  const save = async () => {
    const rows = await door.log.allWaiting();
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(rows, null, 1)], { type: 'application/json' }));
    link.download = 'tessera-scans.json';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <button class="button secondary wide" type="button" onClick={() => void save()}>
      {t.menu.save}
    </button>
  );
}

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The search is loaded when it is opened for the first time. */
export function Search(props: { onClose: () => void }) {
  const [Dialog, setDialog] = useState<ComponentType<typeof props> | null>(null);
  useEffect(() => void import('./search-dialog.tsx').then(({ SearchDialog }) => setDialog(() => SearchDialog)), []);
  return Dialog && <Dialog {...props} />;
}

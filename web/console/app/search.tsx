import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SearchProps } from './search-dialog.tsx';

/** The search is loaded when it is opened for the first time. */
export function Search(props: SearchProps) {
  const [Dialog, setDialog] = useState<ComponentType<SearchProps> | null>(null);
  useEffect(() => void import('./search-dialog.tsx').then(({ SearchDialog }) => setDialog(() => SearchDialog)), []);
  return Dialog && <Dialog {...props} />;
}

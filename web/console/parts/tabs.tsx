import { to, usePlace } from '../app/place.ts';

interface TabsProps {
  /** The name of this group of screens, for screen readers. */
  label: string;
  /** The paths after `/console`. */
  items: readonly { path: string; label: string }[];
}

/** Links between screens that belong together, below the head of the screen. */
export function Tabs({ label, items }: TabsProps) {
  const { path } = usePlace();
  return (
    <nav class="tabs" aria-label={label}>
      {items.map((item) => (
        <a key={item.path} href={to(item.path)} {...(item.path === path && { 'aria-current': 'page' as const })}>
          {item.label}
        </a>
      ))}
    </nav>
  );
}

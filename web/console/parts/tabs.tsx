import { useEffect, useRef } from 'preact/hooks';
import { to, usePlace } from '../app/place.ts';

interface TabsProps {
  /** The name of this group of screens, for screen readers. */
  label: string;
  /** The paths after `/console`. */
  items: readonly { path: string; label: string }[];
}

/** How much of the tab before the current one is shown. */
const beforePx = 60;

/** Links between screens that belong together, below the head of the screen. */
export function Tabs({ label, items }: TabsProps) {
  const { path } = usePlace();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the tabs can be wider than the screen.
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (link) nav.current?.scrollTo({ left: link.offsetLeft - beforePx });
  }, [path]);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {items.map((item) => (
        <a key={item.path} href={to(item.path)} {...(item.path === path && { 'aria-current': 'page' as const })}>
          {item.label}
        </a>
      ))}
    </nav>
  );
}

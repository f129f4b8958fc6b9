import { useConsole } from '../app/console.ts';

/** A bar with its number in words. Without `of`, the end is not known yet. */
export function Progress({ label, value, of }: { label: string; value: number; of?: number }) {
  const { locale } = useConsole();
  const percent = of ? Math.min(1, value / of) : null;
  return (
    <div class="progress">
      <span>{label}</span>
      <span class="soft">{percent === null ? '' : new Intl.NumberFormat(locale, { style: 'percent' }).format(percent)}</span>
      <progress aria-label={label} {...(percent !== null && { value: percent, max: 1 })} />
    </div>
  );
}

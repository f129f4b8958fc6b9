import type { ComponentChildren } from 'preact';
import './figures.css';

export interface Figure {
  label: string;
  value: ComponentChildren;
  /** A short line below the number. */
  note?: ComponentChildren;
}

/** The main numbers of a screen. `label` names the group for screen readers, if no heading does. */
export const Figures = ({ of, label }: { of: readonly Figure[]; label?: string }) => (
  <dl class="figures" aria-label={label}>
    {of.map(({ label, value, note }) => (
      <div key={label} class="figure">
        <dt>{label}</dt>
        <dd class="figure-value">{value}</dd>
        {note && <dd class="figure-note">{note}</dd>}
      </div>
    ))}
  </dl>
);

export interface Share {
  /** `main`, `soft` or `rest`: how strong its colour is. */
  kind: 'main' | 'soft' | 'rest';
  value: number;
}

/** A bar of several shares. It is a decoration: the numbers stand beside it as text. */
export function ShareBar({ shares }: { shares: readonly Share[] }) {
  const whole = shares.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  return (
    <span class="share-bar" aria-hidden="true">
      {shares
        .filter(({ value }) => value > 0)
        .map(({ kind, value }) => (
          <i key={kind} class={kind} style={{ width: `${(100 * value) / whole}%` }} />
        ))}
    </span>
  );
}

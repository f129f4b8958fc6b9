import './cells.css';

interface FiguresProps {
  /** The name of this group of numbers, for screen readers. */
  label: string;
  figures: readonly { label: string; value: string | number }[];
}

/** A few large numbers beside each other. */
export const Figures = ({ label, figures }: FiguresProps) => (
  <dl class="figures" aria-label={label}>
    {figures.map((figure) => (
      <div key={figure.label} class="figure">
        <dt>{figure.label}</dt>
        <dd>{figure.value}</dd>
      </div>
    ))}
  </dl>
);

interface IconProps {
  /** A drawing from icons.ts. */
  path: string;
  size?: number;
}

/** A decoration beside a text. It has no name of its own, so the text must say everything. */
export const Icon = ({ path, size = 20 }: IconProps) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={path} />
  </svg>
);

/** A tile with the notches of a ticket. The letter is made of smaller tiles. */
export const tilePath =
  'M9 1h14a8 8 0 0 1 8 8v3.3a3.9 3.9 0 0 0 0 7.4V23a8 8 0 0 1-8 8H9a8 8 0 0 1-8-8v-3.3a3.9 3.9 0 0 0 0-7.4V9a8 8 0 0 1 8-8Z';

export const Logo = ({ size = 32 }: { size?: number }) => (
  <svg class="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <path class="logo-tile" d={tilePath} />
    <g class="logo-letter">
      <rect x="8.5" y="8" width="4.6" height="4.6" rx="1" />
      <rect x="13.7" y="8" width="4.6" height="4.6" rx="1" />
      <rect x="18.9" y="8" width="4.6" height="4.6" rx="1" />
      <rect x="13.7" y="13.2" width="4.6" height="4.6" rx="1" />
      <rect x="13.7" y="18.4" width="4.6" height="4.6" rx="1" />
    </g>
  </svg>
);

/* Drawings that only the door app uses, see web/ui/icons.ts. */

export const cross = 'M6 6l12 12M18 6 6 18';
export const menu = 'M4 7h16M4 12h16M4 17h16';
export const keyboard = 'M4 6h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1Zm3 4h.01M11 10h.01M15 10h.01M8 14h8';
export const torch = 'm13 2-8 12h6l-1 8 8-12h-6l1-8Z';
export const turn = 'M20 11a8 8 0 0 0-14.3-4.5L3 9m0-5v5h5M4 13a8 8 0 0 0 14.3 4.5L21 15m0 5v-5h-5';
export const list = 'M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01';

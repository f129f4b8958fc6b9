/* Drawings for `Icon`: paths in a box of 24 × 24, drawn as lines. Each is an export of its own, so that a script contains only those it uses. */

export const alert = 'M12 8v5m0 3.5v.01M10.3 3.9 2.4 17.6A2 2 0 0 0 4.1 20.6h15.8a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z';
export const arrow = 'M5 12h14m-6-6 6 6-6 6';
export const calendar = 'M7 3v4m10-4v4M4 10h16M6 5h12a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2Z';
export const card = 'M4 5h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2Zm-2 5h20M6 15h4';
export const check = 'm5 12.5 4.5 4.5L19 7.5';
export const chevron = 'm6 9 6 6 6-6';
export const clock = 'M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z';
export const copy =
  'M9 9h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1ZM5 15H4a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v1';
export const external = 'M14 4h6v6m0-6-9 9M10 5H6a2 2 0 0 0-2 2v11a2 2 0 0 0 2 2h11a2 2 0 0 0 2-2v-4';
export const globe =
  'M3 12h18M12 3c2.5 2.6 3.8 5.6 3.8 9s-1.3 6.4-3.8 9c-2.5-2.6-3.8-5.6-3.8-9S9.5 5.6 12 3Zm9 9a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z';
export const key = 'M8 20.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.2-7.700L20 4m-4 4 3 3';
export const mail = 'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Zm-.5 1.5 8.5 7 8.5-7';
export const minus = 'M6 12h12';
export const person = 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8a7 7 0 0 1 14 0';
export const pin = 'M12 21s7-5.7 7-11.5A7 7 0 0 0 5 9.5C5 15.3 12 21 12 21Zm0-9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z';
export const pix = 'm12 3 9 9-9 9-9-9 9-9Zm-4.5 9h9';
export const plus = 'M12 6v12M6 12h12';
export const search = 'm20 20-4-4m2-5a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z';
export const share = 'M12 15V4m0 0L8 8m4-4 4 4M5 12v6a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-6';
export const shield = 'M12 3 5 6v5c0 4.5 2.9 8.3 7 10 4.1-1.7 7-5.5 7-10V6l-7-3Zm-3 9 2 2 4-4';
export const ticket =
  'M4 7h16a1 1 0 0 1 1 1v2a2 2 0 0 0 0 4v2a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-2a2 2 0 0 0 0-4V8a1 1 0 0 1 1-1Zm10 0v2m0 2v2m0 2v2';
export const undo = 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3';
export const back = 'M19 12H5m6 6-6-6 6-6';
export const building = 'M4 21V5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v16M16 9h2a2 2 0 0 1 2 2v10M2 21h20M8 7h4M8 11h4M8 15h4';
export const chart = 'M4 20V10m5.5 10V4M15 20v-7m5 7V8';
export const close = 'M6 6l12 12M18 6 6 18';
export const columns = 'M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Zm4.5 0v16m5-16v16';
export const gear =
  'M12 15.200a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.400Zm0-12.200v3m0 12v3M5.6 5.600l2.1 2.100m8.6 8.6 2.1 2.100M3 12h3m12 0h3M5.6 18.400l2.1-2.100m8.6-8.6 2.1-2.1';
export const grid = 'M4 4h6v6H4Zm10 0h6v6h-6ZM4 14h6v6H4Zm10 0h6v6h-6Z';
export const grip = 'M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01';
export const menu = 'M4 7h16M4 12h16M4 17h16';
export const more = 'M5 12v.01M12 12v.01M19 12v.01';
export const moveDown = 'M12 5v14m6-6-6 6-6-6';
export const moveUp = 'M12 19V5m-6 6 6-6 6 6';
export const people =
  'M9 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.800a3.5 3.5 0 0 1 0 6.400M18 14.200a6.5 6.5 0 0 1 3.5 5.8';
export const receipt = 'M6 3h12v18l-3-2-3 2-3-2-3 2V3Zm3 5h6m-6 4h6';
export const scan = 'M4 8V5a1 1 0 0 1 1-1h3m8 0h3a1 1 0 0 1 1 1v3m0 8v3a1 1 0 0 1-1 1h-3m-8 0H5a1 1 0 0 1-1-1v-3m0-4h16';
export const signOut = 'M9 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h3m4-8h8m-3-4 4 4-4 4';

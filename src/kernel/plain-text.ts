/** Removes accents, case and surrounding spaces, so that words compare as people expect. */
export const plainText = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

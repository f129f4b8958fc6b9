/** The Brazilian age classification (ClassInd). `L` is for all ages; the numbers are minimum ages. */
export const ageRatings = ['L', '10', '12', '14', '16', '18'] as const;
export type AgeRating = (typeof ageRatings)[number];

/** The kinds of links on the public page of a producer. The page shows an icon for each kind. */
export const producerLinkKinds = ['website', 'instagram', 'facebook', 'youtube', 'tiktok', 'spotify', 'x', 'other'] as const;
export type ProducerLinkKind = (typeof producerLinkKinds)[number];

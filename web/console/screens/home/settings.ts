import type { AnswerOf } from '../../../../client/src/index.ts';

export type HomeSettings = AnswerOf<'getHomeSettings'>;
export type FeaturedEntry = HomeSettings['featured'][number];
export type HomeSection = HomeSettings['sections'][number];
export type HomeEvent = HomeSettings['events'][number];

export interface EditorProps {
  settings: HomeSettings;
  /** Call it after a change: it reads the settings again and loads the preview again. */
  onChange: () => Promise<void>;
  /** Shows changed settings at once, before they are saved. */
  show: (settings: HomeSettings) => void;
}

export const eventOf = ({ events }: HomeSettings, id: number | null): HomeEvent | undefined => events.find((event) => event.id === id);

/** Whether the home page shows the entry at this time. */
export const isInPeriod = ({ showFrom, showUntil }: FeaturedEntry, now: number): boolean =>
  (showFrom === null || Date.parse(showFrom) <= now) && (showUntil === null || Date.parse(showUntil) > now);

import type { ComponentType } from 'preact';
import type { Permission } from '../../../src/kernel/access.ts';
import type { Locale } from '../../../src/kernel/locale.ts';

export interface ScreenProps {
  /** The parameters of the path, for example `orderId`. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

export interface Route<S extends string = string> {
  /** The path after `/console`. A parameter whose name ends in `Id` is a number. With `:eventId`, `useEvent` returns the event. */
  path: string;
  /** The name of the component that `load` of the area returns. */
  screen: S;
  /**
   * The permission that the screen needs: in the event of `:eventId`, in the producer of `:producerId`, or otherwise in any producer.
   * `admin` is for admins of the platform.
   */
  needs?: Permission | 'admin';
  /** Shown without signing in, and without the frame. */
  open?: true;
}

/** A part of the console with screens of its own. Its scripts and its texts are loaded when the reader opens one of its screens. */
export interface Area {
  routes: readonly Route[];
  load: () => Promise<Record<string, unknown>>;
  messages: Record<Locale, () => Promise<{ messages: object }>>;
}

interface AreaParts<S extends string> extends Pick<Area, 'messages'> {
  routes: readonly Route<S>[];
  load: () => Promise<{ [K in S]: ComponentType<ScreenProps> }>;
}

export const area = <const S extends string>(parts: AreaParts<S>): Area => parts;

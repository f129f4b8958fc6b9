import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { areas } from '../screens/areas.ts';
import type { Area, Route, ScreenProps } from './area.ts';
import { useConsole } from './console.ts';
import { matchPath, type Place } from './place.ts';

export const routes: readonly Route[] = areas.flatMap((area) => area.routes);

/** A screen that is ready to be shown. */
export interface Screen {
  route: Route;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  component: ComponentType<ScreenProps>;
  messages: object;
}

interface Found {
  area: Area;
  route: Route;
  params: Record<string, string>;
}

/** The route of a path. Patterns without parameters come first in the lists of the areas, so `/events/new` is not an event. */
export function findRoute(path: string): Found | null {
  for (const area of areas) {
    for (const route of area.routes) {
      const params = matchPath(route.path, path);
      if (params) return { area, route, params };
    }
  }
  return null;
}

type Outcome = { kind: 'loading' } | { kind: 'missing' } | { kind: 'failed'; error: unknown } | { kind: 'shown'; screen: Screen };
/** `visit` is that of the place that the state belongs to. It is behind the address while the next screen is loading. */
export type ScreenState = Outcome & { visit: number };

/** Loads the scripts and the texts of the area of the address. The screen before stays until they are there. */
export function useScreen(place: Place): ScreenState {
  const { locale } = useConsole();
  const [state, setState] = useState<ScreenState>({ kind: 'loading', visit: -1 });
  useEffect(() => {
    const found = findRoute(place.path);
    const { visit } = place;
    if (!found) return setState({ kind: 'missing', visit });
    let isCurrent = true;
    const { area, route, params } = found;
    const load = async (): Promise<Outcome> => {
      const [module, { messages }] = await Promise.all([area.load(), area.messages[locale]()]);
      const component = module[route.screen] as ComponentType<ScreenProps>;
      return { kind: 'shown', screen: { route, params, query: place.query, component, messages } };
    };
    const show = async () => {
      const next = await load().catch((error: unknown): Outcome => ({ kind: 'failed', error }));
      if (isCurrent) setState({ ...next, visit });
    };
    void show();
    return () => {
      isCurrent = false;
    };
  }, [place, locale]);
  return state;
}

import type { ComponentProps, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type * as panels from './panels.ts';

type Panels = typeof panels;

let loaded: Panels | null = null;

const load = async (): Promise<void> => {
  loaded ??= await import('./panels.ts');
};

/** Shows a screen of panels.ts, and loads the file before. */
export function Panel<Name extends keyof Panels>({ name, props }: { name: Name; props: ComponentProps<Panels[Name]> }) {
  const [, render] = useState(false);
  useEffect(() => {
    void load().then(() => render(true));
  }, []);
  const Screen = loaded?.[name] as ComponentType | undefined;
  return Screen ? <Screen {...(props as object)} /> : null;
}

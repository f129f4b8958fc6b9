import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useApp } from './context.ts';
import * as doorIcons from './icons.ts';

export type PanelName = 'type' | 'search' | 'attention' | 'menu';

export function BottomBar({ open }: { open: (panel: PanelName) => void }) {
  const { t, state } = useApp();
  const buttons = [
    ['type', doorIcons.keyboard],
    ...(state.info?.maySearch ? [['search', icons.search] as const] : []),
    ['attention', doorIcons.list],
    ['menu', doorIcons.menu],
  ] as [PanelName, string][];
  return (
    <nav class="bottom-bar">
      {buttons.map(([panel, icon]) => (
        <button key={panel} type="button" onClick={() => open(panel)}>
          <Icon path={icon} size={24} />
          <span>{t.scan[panel]}</span>
          {panel === 'attention' && state.attention.length > 0 && <span class="badge">{state.attention.length}</span>}
        </button>
      ))}
    </nav>
  );
}

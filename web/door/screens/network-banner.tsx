import { fill, plural } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useApp } from './context.ts';

/** Says since when the device is offline and how old its data is, or how far the download is. */
export function NetworkBanner() {
  const { t, state, locale, time } = useApp();
  const { offlineSince, manifestAt, downloading } = state;
  if (offlineSince === null && downloading === null) return null;
  const data = manifestAt === null ? t.scan.noData : fill(t.scan.dataFrom, { time: time(manifestAt) });
  return (
    <p class="banner" role="status">
      <Icon path={icons.clock} size={18} />
      {offlineSince === null
        ? plural(locale, t.scan.downloading, downloading ?? 0)
        : `${fill(t.scan.offline, { time: time(offlineSince) })} ${data}`}
    </p>
  );
}

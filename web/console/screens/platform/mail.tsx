import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { instant } from '../../../ui/format.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';

/**
 * The text of a mail with its links and pictures. The HTML part is not shown: it would need its own styles, which the policy of the console
 * refuses, and the text part says the same.
 */
export function Mail({ params }: ScreenProps) {
  const { client, locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const mail = useData((signal) => client.mailbox.get({ id: Number(params.mailId) }, { signal }), [params.mailId]);
  return (
    <>
      <PageHead title={mail.data?.subject ?? t.mailbox.mail} back={{ href: to('/platform/mailbox'), label: t.tiles.mailbox.title }} />
      <Show of={mail}>
        {({ from, to: receiver, at, text, pictures }) => (
          <article class="panel platform-mail">
            <dl class="facts">
              <dt>{t.mailbox.from}</dt>
              <dd>{from}</dd>
              <dt>{t.mailbox.to}</dt>
              <dd>{receiver}</dd>
              <dt>{t.mailbox.at}</dt>
              <dd>{instant(at, 'yearMoment', locale)}</dd>
            </dl>
            <p class="platform-mail-text">{withLinks(withoutRules(text))}</p>
            {pictures.length > 0 && (
              <div class="platform-mail-pictures">
                {pictures.map(({ cid, fileName, source }) => (
                  <img key={cid} src={source} alt={fileName ?? cid} />
                ))}
              </div>
            )}
          </article>
        )}
      </Show>
    </>
  );
}

/** The lines below the headings of a plain text are as long as the headings, and would break on a phone. */
const withoutRules = (text: string): string => text.replaceAll(/^[=-]{3,}\n/gm, '');

/** Makes links of the web addresses in a text. They open in a new tab, because some of them sign out or change a password. */
function withLinks(text: string) {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a key={`${index} ${part}`} href={part} target="_blank" rel="noopener noreferrer">
        {part}
      </a>
    ),
  );
}

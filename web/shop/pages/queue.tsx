import type { OwnPlace, QueuePage } from '../../../src/web/queue-contract.ts';
import { fill } from '../../messages/fill.ts';
import { date } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { progressOf } from '../islands/queue/progress.ts';
import { href, type PageProps } from '../page.ts';
import { safeJson } from '../safe-json.ts';
import type { QueueData } from './queue-data.ts';

type QueueProps = PageProps & { page: QueuePage };
type OwnProps = QueueProps & { own: OwnPlace };

/** The page on which a visitor waits. All its states are rendered on the server, so it works without JavaScript. */
export function QueueView(props: QueueProps) {
  const { frame, t, page } = props;
  const { own, event } = page;
  return (
    <div class="wrap queue-page">
      <header class="queue-head">
        <p class="queue-kicker">{t.queue.title}</p>
        <h1>
          <a href={href(frame, `/event/${event.link}`)}>{event.title}</a>
        </h1>
      </header>
      {own === null && <Join {...props} />}
      {own?.state === 'missed' && <Missed {...props} />}
      {own?.state === 'admitted' && <Turn {...props} />}
      {own && (own.state === 'drawing' || own.state === 'waiting') && <Waiting {...props} own={own} />}
      {own && own.state !== 'missed' && <Data {...props} own={own} />}
      <details class="queue-more">
        <summary>
          <Icon path={icons.shield} size={20} /> {t.queue.fair}
        </summary>
        <p class="queue-fair">{fill(t.queue.fairText, { commitment: page.queue.draw.commitment })}</p>
      </details>
    </div>
  );
}

const opening = ({ frame: { locale }, page: { opensAt } }: QueueProps): string => date(opensAt, 'moment', locale);

const JoinForm = ({ frame, t, page }: QueueProps) => (
  <form method="post" action={href(frame, `/event/${page.event.link}/queue`)}>
    <button class="button queue-button" type="submit">
      <Icon path={icons.ticket} size={20} /> {t.queue.join}
    </button>
  </form>
);

const Join = (props: QueueProps) => (
  <section class="queue-card">
    <p class="queue-text">
      {props.page.queue.state === 'before' ? fill(props.t.queue.joinBefore, { date: opening(props) }) : props.t.queue.joinOpen}
    </p>
    <JoinForm {...props} />
  </section>
);

const Missed = (props: QueueProps) => (
  <section class="queue-card">
    <h2>{props.t.queue.missedTitle}</h2>
    <p class="queue-text">{props.t.queue.missedText}</p>
    <JoinForm {...props} />
  </section>
);

const ticketsOf = ({ frame, page }: QueueProps): string => `${href(frame, `/event/${page.event.link}`)}?admitted=1#tickets`;

const Turn = (props: QueueProps) => (
  <section class="queue-card turn" role="alert">
    <span class="queue-check">
      <Icon path={icons.check} size={36} />
    </span>
    <h2>{props.t.queue.turnTitle}</h2>
    <p class="queue-text">{fill(props.t.queue.turnText, { minutes: props.page.queue.minutes })}</p>
    <a class="button queue-button" href={ticketsOf(props)}>
      {props.t.queue.toTickets} <Icon path={icons.arrow} size={20} />
    </a>
  </section>
);

/** Both states are in the page, so that the script can change from the draw to the wait. */
function Waiting(props: OwnProps) {
  const { t, page, own, frame } = props;
  const { locale } = frame;
  const number = (n: number) => new Intl.NumberFormat(locale).format(n);
  const progress = progressOf(own.place ?? own.number, page.queue, Date.parse(page.now), { t: t.queue, locale });
  const isDrawn = own.place !== null;
  return (
    <>
      <section class="queue-card" aria-labelledby="queue-number-label">
        <p class="queue-label" id="queue-number-label" data-number-label>
          {isDrawn ? t.queue.yourPlace : t.queue.yourNumber}
        </p>
        <p class="queue-number" data-number>
          {number(own.place ?? own.number)}
        </p>
        <div class="queue-part" data-before hidden={isDrawn}>
          <p class="queue-opens" data-opens />
          <p class="queue-text">{fill(t.queue.drawText, { date: opening(props) })}</p>
        </div>
        <div class="queue-part" data-waiting hidden={!isDrawn}>
          <progress class="queue-progress" max="100" value={progress.percent.toFixed(1)} aria-label={t.queue.progress} data-progress />
          <p class="queue-ahead" data-ahead>
            {progress.aheadText}
          </p>
          <p class="queue-wait">
            <span class="soft">{t.queue.wait}</span> <strong data-wait>{progress.waitText}</strong>
          </p>
          <div data-paused hidden={page.queue.state !== 'paused'}>
            <Notice tone="warn" title={t.queue.paused}>
              <p>{t.queue.pausedText}</p>
            </Notice>
          </div>
        </div>
        <p class="visually-hidden" role="status" data-announce />
      </section>
      <div class="queue-tools">
        <p class="soft">{t.queue.kept}</p>
        <button class="button secondary needs-script" type="button" aria-pressed="false" data-sound>
          <span data-label>{t.queue.sound}</span>
        </button>
        <noscript>
          <p class="soft">{t.queue.noScript}</p>
        </noscript>
      </div>
      <Device {...props} />
    </>
  );
}

const Device = ({ t, own }: OwnProps) => (
  <details class="queue-more">
    <summary>
      <Icon path={icons.scan} size={20} /> {t.queue.device}
    </summary>
    <div class="queue-device">
      <svg class="queue-qr" viewBox={`-4 -4 ${own.qr.size + 8} ${own.qr.size + 8}`} role="img" aria-label={t.queue.qr}>
        <rect x="-4" y="-4" width={own.qr.size + 8} height={own.qr.size + 8} fill="#fff" />
        <path d={own.qr.path} fill="#000" />
      </svg>
      <div class="queue-link">
        <p>{t.queue.deviceText}</p>
        <input class="input" id="queue-address" readOnly value={own.address} aria-label={t.queue.address} />
        <button class="button secondary needs-script" type="button" data-copy="queue-address">
          <Icon path={icons.copy} size={18} />
          <span data-label aria-live="polite">
            {t.queue.copy}
          </span>
        </button>
      </div>
    </div>
  </details>
);

function Data(props: OwnProps) {
  const { frame, t, page, own } = props;
  const data: QueueData = {
    eventId: page.event.id,
    locale: frame.locale,
    now: page.now,
    state: own.state as QueueData['state'],
    queue: page.queue,
    ticket: own.ticket,
    place: own.place,
    tickets: ticketsOf(props),
    t: t.queue,
  };
  return <script type="application/json" id="queue-data" dangerouslySetInnerHTML={{ __html: safeJson(data) }} />;
}

import type { WaitingPage } from '../../../src/web/waiting-contract.ts';
import { fill, plural } from '../../messages/fill.ts';
import { date } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { href, type PageProps } from '../page.ts';

type WaitingProps = PageProps & { page: WaitingPage };

const iconOf: Record<WaitingPage['view'], string> = {
  sent: icons.mail,
  expired: icons.clock,
  cancelled: icons.alert,
  unconfirmed: icons.mail,
  waiting: icons.clock,
  offered: icons.ticket,
  bought: icons.check,
  lapsed: icons.clock,
  left: icons.undo,
  removed: icons.undo,
};

/** The title and the text of the page, by the state of the entry. */
export function waitingTexts({ frame, t, page }: WaitingProps): { title: string; text: string } {
  const { view, position, until } = page;
  if (view === 'expired') return { title: t.waiting.unconfirmedTitle, text: t.waiting.expiredText };
  const kind = view === 'removed' ? 'left' : view;
  return {
    title: fill(t.waiting[`${kind}Title`], { position: position ?? 0 }),
    text: fill(t.waiting[`${kind}Text`], { time: until ? date(until, 'moment', frame.locale) : '' }),
  };
}

/** The page of an entry of the waiting list. It works without JavaScript. */
export function WaitingView(props: WaitingProps) {
  const { frame, t, page } = props;
  const { view, event, item, quantity, hasChanged } = page;
  const { title, text } = waitingTexts(props);
  const isOver = ['expired', 'cancelled', 'lapsed', 'left', 'removed', 'sent', 'bought'].includes(view);
  return (
    <div class="wrap waiting-page">
      {hasChanged && <Notice tone="warn" title={t.waiting.changed} alert />}
      <div class="waiting-head">
        <span class="empty-tile">
          <Icon path={iconOf[view]} size={28} />
        </span>
        <p class="waiting-kicker">{t.waiting.title}</p>
        <h1>{title}</h1>
        <p class="waiting-text">{text}</p>
      </div>
      <p class="waiting-what">
        <strong>{event.title}</strong>
        {item && (
          <span class="soft">
            {item} · {plural(frame.locale, t.waiting.tickets, quantity)}
          </span>
        )}
      </p>
      <div class="waiting-actions">
        {view === 'unconfirmed' && <EntryForm {...props} action="confirm" label={t.waiting.confirm} look="button wide" />}
        {view === 'waiting' && <EntryForm {...props} action="leave" label={t.waiting.leave} look="button secondary" />}
        {view === 'offered' && <EntryForm {...props} action="order" label={t.waiting.toOrder} look="button wide" />}
        {view === 'offered' && <EntryForm {...props} action="leave" label={t.waiting.release} look="button secondary" />}
        <a class={isOver ? 'button secondary' : 'more-link'} href={href(frame, event.path)}>
          {t.waiting.seeEvent}
        </a>
      </div>
    </div>
  );
}

const EntryForm = ({
  frame,
  page,
  action,
  label,
  look,
}: WaitingProps & { action: 'confirm' | 'leave' | 'order'; label: string; look: string }) => (
  <form method="post" action={href(frame, `/waiting-list/${page.eventId}`)}>
    <input type="hidden" name="do" value={action} />
    <input type="hidden" name="token" value={page.token ?? ''} />
    <button class={look} type="submit">
      {label}
    </button>
  </form>
);

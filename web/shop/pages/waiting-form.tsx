import type { WaitingForm } from '../../../src/web/waiting-contract.ts';
import { fill } from '../../messages/fill.ts';
import { Field, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { href, type PageProps } from '../page.ts';

/** The form for what is sold out. It opens by itself if it was refused, or if nothing can be bought. */
export function JoinWaitingList({ frame, t, eventId, form, isOpen }: PageProps & { eventId: number; form: WaitingForm; isOpen: boolean }) {
  const { refused, options, sessionId, hours } = form;
  return (
    <details class="code waiting-list" id="waiting-list" open={isOpen || refused !== null}>
      <summary>
        <Icon path={icons.clock} /> {t.waiting.join}
      </summary>
      <p class="soft">{fill(t.waiting.text, { hours })}</p>
      {refused && <Notice tone="warn" title={t.waiting[refused.reason]} alert />}
      <form class="waiting-form" method="post" action={href(frame, `/event/${eventId}/waiting-list#waiting-list`)}>
        {sessionId !== null && <input type="hidden" name="sessionId" value={sessionId} />}
        <Field id="waiting-item" label={t.waiting.item}>
          {(attributes) => (
            <select class="input" name="itemId" {...attributes}>
              {options.map(({ itemId, name, group, isGroup }) => (
                <option value={itemId} selected={refused?.itemId === itemId}>
                  {isGroup ? fill(t.waiting.any, { group: name }) : [group, name].filter(Boolean).join(' · ')}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field id="waiting-quantity" label={t.waiting.quantity} hint={t.waiting.quantityHint}>
          {(attributes) => (
            <input
              class="input"
              type="number"
              name="quantity"
              min={1}
              max={200}
              required
              inputMode="numeric"
              value={refused?.quantity ?? '1'}
              {...attributes}
            />
          )}
        </Field>
        <TextField
          id="waiting-email"
          name="email"
          type="email"
          label={t.waiting.email}
          value={refused?.email ?? ''}
          maxLength={254}
          required
          autocomplete="email"
        />
        <button class="button" type="submit">
          {t.waiting.submit}
        </button>
      </form>
    </details>
  );
}

import type { AnswerOf } from '../../../../client/src/index.ts';
import { type ProducerLinkKind, producerLinkKinds } from '../../../../src/kernel/producer-links.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useMessages } from '../../app/console.ts';
import { useField } from '../../parts/fields.tsx';

type Link = AnswerOf<'getProducer'>['links'][number];

const maxLinks = 10;

/** The links of a producer, in the order in which they are shown. Rows without an address are left out. */
export function LinksField({ name }: { name: string }) {
  const t = useMessages<ProducerMessages>();
  const { raw, error, set } = useField(name, {
    label: t.profile.links,
    format: (value) => JSON.stringify(value ?? []),
    parse: (text) => (JSON.parse(String(text)) as Link[]).filter(({ url }) => url.trim() !== ''),
    describe: (text) => (JSON.parse(String(text)) as Link[]).map(({ url }) => url).join('\n'),
  });
  const links = JSON.parse(String(raw)) as Link[];
  const change = (next: Link[]) => set(JSON.stringify(next));
  const replace = (index: number, link: Link) => change(links.with(index, link));
  return (
    <fieldset class="stack links">
      <legend>
        <b>{t.profile.links}</b>
      </legend>
      {links.map(({ kind, url }, index) => {
        const number = index + 1;
        return (
          <div key={index} class="link-row">
            <select
              class="input"
              aria-label={fill(t.profile.linkKind, { number })}
              value={kind}
              onChange={(event) => replace(index, { kind: event.currentTarget.value as ProducerLinkKind, url })}
            >
              {producerLinkKinds.map((value) => (
                <option key={value} value={value} selected={value === kind}>
                  {t.profile.kinds[value]}
                </option>
              ))}
            </select>
            <input
              class="input"
              type="url"
              aria-label={fill(t.profile.linkUrl, { number })}
              placeholder="https://"
              maxLength={500}
              value={url}
              {...(error && { 'aria-invalid': true })}
              onInput={(event) => replace(index, { kind, url: event.currentTarget.value })}
            />
            <button
              type="button"
              class="icon-button"
              aria-label={fill(t.profile.removeLink, { number })}
              onClick={() => change(links.toSpliced(index, 1))}
            >
              <Icon path={icons.close} />
            </button>
          </div>
        );
      })}
      <p class={error ? 'field-error' : 'field-hint'}>{error ?? t.profile.linkHint}</p>
      {links.length < maxLinks && (
        <div>
          <button type="button" class="button plain" onClick={() => change([...links, { kind: 'website', url: '' }])}>
            <Icon path={icons.plus} size={18} />
            {t.profile.addLink}
          </button>
        </div>
      )}
    </fieldset>
  );
}

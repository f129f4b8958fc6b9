import { type AnswerOf, etagOf } from '../../../../client/src/index.ts';
import type { ProducersMessages } from '../../../messages/console/producers.en.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { SelectField, TextArea, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PictureBox } from '../../parts/picture-box.tsx';
import { Show } from '../../parts/show.tsx';
import { currencyOptions } from './currencies.ts';
import { Members } from './members.tsx';
import { Money } from './money.tsx';

export type Producer = AnswerOf<'getProducer'>;

/** What buyers see of a producer, who works for it, and where its money goes. */
export function ProducerDetail({ params }: ScreenProps) {
  const { client, locale, can } = useConsole();
  const t = useMessages<ProducersMessages>();
  const id = Number(params.producerId);
  const producer = useData((signal) => client.producers.get({ id }, { signal }), [id]);
  const canManage = can('producer.manage', { producerId: id });
  return (
    <>
      <PageHead title={producer.data?.name ?? t.producer} back={{ href: to('/producers'), label: t.title }}>
        <a class="button plain" href={`/${locale}/producer/${id}`} target="_blank" rel="noreferrer">
          {t.publicPage}
        </a>
      </PageHead>
      <Show of={producer}>
        {(data) => (
          <div class="platform-columns">
            <div class="stack">
              {canManage ? <Profile producer={data} onChange={producer.set} /> : <p class="soft">{data.description}</p>}
              {canManage && <Logo producer={data} onChange={producer.reload} />}
            </div>
            <div class="stack">
              {can('members.read', { producerId: id }) && <Members producer={data} />}
              <Money producer={data} onChange={producer.reload} />
            </div>
          </div>
        )}
      </Show>
    </>
  );
}

const valuesOf = ({ name, currency, description }: Producer) => ({ name, currency, description });

function Profile({ producer, onChange }: { producer: Producer; onChange: (producer: Producer) => void }) {
  const { client, locale, t: frame } = useConsole();
  const t = useMessages<ProducersMessages>();
  const toast = useToast();
  const { id } = producer;
  return (
    <section class="panel">
      <h2>{t.profile}</h2>
      <Form
        draft={`producer-${id}`}
        initial={valuesOf(producer)}
        version={etagOf(producer)}
        reread={async () => {
          const fresh = await client.producers.get({ id });
          return { values: valuesOf(fresh), version: etagOf(fresh) };
        }}
        submit={async ({ values, version }) =>
          onChange(await client.producers.update({ id, ...values }, { ...(version && { ifMatch: version }) }))
        }
        onDone={() => toast(frame.saved)}
        action={frame.save}
      >
        <TextField name="name" label={t.name} maxLength={200} required />
        <TextArea name="description" label={t.description} hint={t.descriptionHint} maxLength={5000} rows={6} />
        <SelectField name="currency" label={t.currency} hint={t.currencyHint} options={currencyOptions(locale)} required />
      </Form>
    </section>
  );
}

function Logo({ producer: { id, name, logo }, onChange }: { producer: Producer; onChange: () => Promise<void> }) {
  const { client } = useConsole();
  const t = useMessages<ProducersMessages>();
  return (
    <section class="panel">
      <h2>{t.logo}</h2>
      <PictureBox
        shape="square"
        src={logo}
        alt={name}
        labels={t.picture}
        onUpload={async (file) => {
          await client.producers.uploadLogo({ id, file });
          await onChange();
        }}
        onRemove={async () => {
          await client.producers.deleteLogo({ id });
          await onChange();
        }}
      />
    </section>
  );
}

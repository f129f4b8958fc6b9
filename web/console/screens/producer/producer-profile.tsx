import { type AnswerOf, etagOf } from '../../../../client/src/index.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { type Loaded, useData } from '../../app/use-data.ts';
import { TextArea, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PictureUpload } from '../../parts/picture-upload.tsx';
import { Show } from '../../parts/show.tsx';
import { LinksField } from './links-field.tsx';
import { ProducerHead } from './producer-head.tsx';
import './producer.css';

type Producer = AnswerOf<'getProducer'>;

/** What everybody sees of a producer, and the currency. */
export function ProducerProfile({ params: { producerId = '' } }: ScreenProps) {
  const { client, locale, can } = useConsole();
  const t = useMessages<ProducerMessages>();
  const loaded = useData((signal) => client.producers.get({ id: producerId }, { signal }), [producerId]);
  const canChange = can('producer.manage', { producerId: Number(producerId) });
  return (
    <>
      <ProducerHead producerId={producerId} title={loaded.data?.name ?? t.title}>
        <a class="button plain" href={`/${locale}/producer/${producerId}`} target="_blank">
          <Icon path={icons.external} size={18} />
          {t.profile.view}
        </a>
      </ProducerHead>
      <Show of={loaded}>
        {(producer) => (
          <>
            {!canChange && <Notice tone="plain">{t.profile.readOnly}</Notice>}
            <Logo producer={producer} loaded={loaded} canChange={canChange} />
            <section class="panel narrow">
              <h2>{t.profile.title}</h2>
              <p class="soft">{t.profile.text}</p>
              <ProfileForm producer={producer} onSaved={loaded.set} canChange={canChange} />
            </section>
          </>
        )}
      </Show>
    </>
  );
}

interface LogoProps {
  producer: Producer;
  loaded: Loaded<Producer>;
  canChange: boolean;
}

function Logo({ producer: { id, name, logo }, loaded, canChange }: LogoProps) {
  const { client } = useConsole();
  const t = useMessages<ProducerMessages>();
  const alt = fill(t.logo.alt, { name });
  return (
    <section class="panel narrow">
      <h2>{t.logo.title}</h2>
      {canChange ? (
        <PictureUpload
          src={logo}
          alt={alt}
          hint={t.logo.hint}
          upload={async (file, onProgress) => {
            await client.producers.uploadLogo({ id, file }, { onProgress });
            await loaded.reload();
          }}
          remove={async () => {
            await client.producers.deleteLogo({ id });
            await loaded.reload();
          }}
        />
      ) : (
        logo && <img src={logo} alt={alt} width={128} />
      )}
    </section>
  );
}

const valuesOf = ({ name, description, links, currency }: Producer) => ({ name, description, links, currency });

interface ProfileFormProps {
  producer: Producer;
  onSaved: (producer: Producer) => void;
  canChange: boolean;
}

function ProfileForm({ producer, onSaved, canChange }: ProfileFormProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<ProducerMessages>();
  const toast = useToast();
  const { id } = producer;
  const reread = async () => {
    const fresh = await client.producers.get({ id });
    return { values: valuesOf(fresh), version: etagOf(fresh) };
  };
  const save = async (changed: Partial<ReturnType<typeof valuesOf>>, version: string | undefined) => {
    if (Object.keys(changed).length === 0) return;
    onSaved(await client.producers.update({ id, ...changed }, { ...(version && { ifMatch: version }) }));
  };
  return (
    <fieldset disabled={!canChange}>
      <Form
        draft={`producer-${id}`}
        initial={valuesOf(producer)}
        version={etagOf(producer)}
        reread={reread}
        submit={({ changed, version }) => save(changed, version)}
        onDone={() => toast(frame.saved)}
        action={frame.save}
      >
        <TextField name="name" label={t.profile.name} maxLength={200} required />
        <TextArea name="description" label={t.profile.description} hint={t.profile.descriptionHint} rows={6} maxLength={5000} />
        <LinksField name="links" />
        <TextField name="currency" label={t.profile.currency} hint={t.profile.currencyHint} pattern="[A-Z]{3}" maxLength={3} required />
      </Form>
    </fieldset>
  );
}

import { useState } from 'preact/hooks';
import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { EventPicker } from '../../parts/event-picker.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PictureUpload } from '../../parts/picture-upload.tsx';
import { errorText } from '../../parts/show.tsx';
import { type EditorProps, eventOf } from './settings.ts';

/** The large picture with a title and a link at the top. */
export function Cover({ settings, onChange }: EditorProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<HomeMessages>();
  const toast = useToast();
  const { cover } = settings;
  return (
    <section class="panel">
      <h2>{t.cover.title}</h2>
      <PictureUpload
        src={cover.image}
        alt={t.cover.picture}
        hint={cover.image === null && cover.eventId !== null ? t.cover.posterIsShown : t.pictureHint}
        upload={async (file, onProgress) => {
          await client.home.uploadCoverImage({ file }, { onProgress });
          await onChange();
        }}
        remove={async () => {
          await client.home.deleteCoverImage();
          await onChange();
        }}
      />
      <CoverEvent settings={settings} onChange={onChange} />
      <Form
        draft="home-cover"
        initial={{ title: cover.title, target: cover.target }}
        submit={async ({ values }) => {
          await client.home.setCover(values);
          await onChange();
        }}
        onDone={() => toast(frame.saved)}
        action={t.cover.save}
      >
        <TextField name="title" label={t.cover.text} hint={t.cover.textHint} maxLength={200} />
        <TextField name="target" label={t.cover.link} hint={t.cover.linkHint} maxLength={2000} pattern={'(https?://|/(?!/))[^\\s<>"]*'} />
      </Form>
    </section>
  );
}

function CoverEvent({ settings, onChange }: Omit<EditorProps, 'show'>) {
  const { client, t: frame } = useConsole();
  const t = useMessages<HomeMessages>();
  const toast = useToast();
  const [isPicking, setPicking] = useState(false);
  const event = eventOf(settings, settings.cover.eventId);
  const choose = async (eventId: number | null) => {
    setPicking(false);
    try {
      await client.home.setCover({ eventId });
      await onChange();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  return (
    <div class="field">
      <span class="home-label">{t.cover.event}</span>
      <div class="actions">
        {event && (
          <span>
            <b>{event.title}</b> {!event.isShown && <span class="pill warn">{t.notShown}</span>}
          </span>
        )}
        <button type="button" class="button plain" onClick={() => setPicking(true)}>
          {event ? t.cover.otherEvent : t.chooseEvent}
        </button>
        {event && (
          <button type="button" class="text-button" onClick={() => void choose(null)}>
            {t.cover.noEvent}
          </button>
        )}
      </div>
      {event && !event.isShown && <p class="field-hint">{t.cover.hidden}</p>}
      {isPicking && (
        <EventPicker
          title={t.chooseEvent}
          labels={t.picker}
          status="published"
          onClose={() => setPicking(false)}
          onPick={({ id }) => choose(id)}
        />
      )}
    </div>
  );
}

import { useState } from 'preact/hooks';
import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DateTimeField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { toInstant, toLocal } from '../../parts/local-instant.ts';
import { PictureUpload } from '../../parts/picture-upload.tsx';
import type { FeaturedEntry } from './settings.ts';

interface EditFeaturedProps {
  /** Null for a new banner. */
  entry: FeaturedEntry | null;
  name: string;
  /** The position of a new banner. */
  position: number;
  onChange: () => Promise<void>;
  onClose: () => void;
}

interface Values {
  target: string | null;
  showFrom: string | null;
  showUntil: string | null;
}

/** The period, the link and the picture of a featured entry. */
export function EditFeatured({ entry: given, name, position, onChange, onClose }: EditFeaturedProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<HomeMessages>();
  // A new banner stays open after it was created, so that its picture can be uploaded.
  const [entry, setEntry] = useState(given);
  const save = async ({ target, showFrom, showUntil }: Values) => {
    const values = { target, showFrom: showFrom && toInstant(showFrom), showUntil: showUntil && toInstant(showUntil) };
    if (entry) await client.home.updateFeatured({ id: entry.id, ...values });
    else setEntry(await client.home.createFeatured({ position, ...values }));
    await onChange();
    if (entry) onClose();
  };
  return (
    <Dialog title={name} shape="side" onClose={onClose}>
      {entry && <EntryPicture entry={entry} onChange={onChange} />}
      <Form<Values>
        initial={{
          target: entry?.target ?? null,
          showFrom: entry?.showFrom ? toLocal(entry.showFrom) : null,
          showUntil: entry?.showUntil ? toLocal(entry.showUntil) : null,
        }}
        submit={({ values }) => save(values)}
        action={entry ? frame.save : t.featured.continue}
      >
        <TextField
          name="target"
          label={t.featured.link}
          hint={entry?.eventId ? t.featured.linkOfEvent : t.cover.linkHint}
          maxLength={2000}
          pattern={'(https?://|/(?!/))[^\\s<>"]*'}
          required={!entry?.eventId}
        />
        <div class="columns">
          <DateTimeField name="showFrom" label={t.featured.showFrom} />
          <DateTimeField name="showUntil" label={t.featured.showUntil} />
        </div>
        <p class="field-hint">{t.featured.periodHint}</p>
      </Form>
    </Dialog>
  );
}

function EntryPicture({ entry, onChange }: { entry: FeaturedEntry; onChange: () => Promise<void> }) {
  const { client } = useConsole();
  const t = useMessages<HomeMessages>();
  const [src, setSrc] = useState(entry.image);
  return (
    <PictureUpload
      src={src}
      alt={t.featured.picture}
      hint={t.pictureHint}
      upload={async (file, onProgress) => {
        setSrc((await client.home.uploadBannerImage({ id: entry.id, file }, { onProgress })).src);
        await onChange();
      }}
      remove={async () => {
        await client.home.deleteBannerImage({ id: entry.id });
        setSrc(null);
        await onChange();
      }}
    />
  );
}

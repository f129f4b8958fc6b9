import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useMessages } from '../../app/console.ts';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { TextArea, TextField } from '../../parts/fields.tsx';
import { htmlOf, parseMarkup } from '../../parts/markup.ts';
import { MarkupArea } from '../../parts/markup-area.tsx';
import { markupOf } from '../../parts/markup-of-html.ts';
import { PreviewButton } from '../../parts/preview-button.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { namesIn } from '../../parts/rows.ts';
import { EventForm } from './event-form.tsx';
import { Poster } from './poster.tsx';
import { SettingsHead } from './settings-head.tsx';

type Values = Record<string, unknown> & { description: string | null; accessibility: string | null; faq: string };

function valuesOf({ description, accessibility, faq }: EventData): Values {
  const rows = faq.flatMap(({ question, answer }, index) => [
    [`faq${index}.question`, question],
    [`faq${index}.answer`, answer],
  ]);
  return {
    description: markupOf(description) ?? description,
    accessibility,
    faq: faq.map((_, index) => `faq${index}`).join(' '),
    ...Object.fromEntries(rows),
  };
}

/** The poster and the texts of the shop page. */
export function EventPage() {
  const t = useMessages<SettingsMessages>();
  const { event } = useEvent();
  // Descriptions with other markup, which programs can write, are edited as HTML.
  const hasMarks = markupOf(event.description) !== null;
  const changesOf = (values: Values, changed: Partial<Values>) => {
    const isFaqChanged = Object.keys(changed).some((field) => field.startsWith('faq') || field.startsWith('new'));
    const text = values.description ?? '';
    return {
      ...('description' in changed && { description: hasMarks ? htmlOf(parseMarkup(text)) : text }),
      ...('accessibility' in changed && { accessibility: values.accessibility }),
      ...(isFaqChanged && {
        faq: namesIn(values.faq).map((row) => ({ question: String(values[`${row}.question`]), answer: String(values[`${row}.answer`]) })),
      }),
    };
  };
  return (
    <>
      <SettingsHead subject="page">
        <PreviewButton label={t.page.preview} />
      </SettingsHead>
      <div class="narrow stack">
        <Poster />
        <EventForm<Values> name="page" valuesOf={valuesOf} changesOf={changesOf}>
          {hasMarks ? (
            <MarkupArea name="description" texts={t.markup} label={t.page.description} maxLength={50_000} />
          ) : (
            <TextArea name="description" label={t.page.description} hint={t.page.htmlHint} rows={8} maxLength={50_000} />
          )}
          <TextArea name="accessibility" label={t.page.accessibility} hint={t.page.accessibilityHint} rows={3} maxLength={5000} />
          <Questions />
        </EventForm>
      </div>
    </>
  );
}

function Questions() {
  const { page: t } = useMessages<SettingsMessages>();
  return (
    <fieldset class="stack">
      <legend>{t.faq}</legend>
      <RowList name="faq" label={t.faq} rowClass="settings-question" add={t.addQuestion} remove={t.removeQuestion}>
        {(row, number) => (
          <>
            <TextField name={`${row}.question`} label={fill(t.question, { number })} maxLength={300} required />
            <TextArea name={`${row}.answer`} label={fill(t.answer, { number })} rows={2} maxLength={5000} required />
          </>
        )}
      </RowList>
    </fieldset>
  );
}

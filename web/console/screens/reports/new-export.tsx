import type { InputOf } from '../../../../client/src/index.ts';
import type { ReportsMessages } from '../../../messages/console/reports.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import type { ExportData } from './exports.tsx';

type ExportType = NonNullable<InputOf<'requestExport'>['type']>;
type FilterName = keyof ReportsMessages['exports']['filters'];

const needs = { transactions: 'order.read', guestlist: 'guest.read', passkey: 'passkey.read' } as const;
/** What each list can be limited to, and the filter that the API knows for it. */
const choices: Record<ExportType, Partial<Record<FilterName, string>>> = {
  transactions: { approved: 'approved', refunded: 'refunded', held: 'held' },
  guestlist: { checked: 'checked', unchecked: 'unchecked' },
  passkey: { valid: 'approved' },
};

interface NewExportProps {
  onClose: () => void;
  onDone: (created: ExportData) => void;
}

/** Asks for a file. A list and its limit are one choice, because each list has other limits. */
export function NewExport({ onClose, onDone }: NewExportProps) {
  const { client, locale } = useConsole();
  const { exports: t } = useMessages<ReportsMessages>();
  const { event, can } = useEvent();
  const toast = useToast();
  const types = (Object.keys(choices) as ExportType[]).filter((type) => can(needs[type]));
  const lists = types.flatMap((type) => [
    { value: type, label: t.types[type] },
    ...Object.keys(choices[type]).map((name) => ({
      value: `${type} ${name}`,
      label: `${t.types[type]} · ${t.filters[name as FilterName]}`,
    })),
  ]);
  const submit = async ({ list, format }: { list: string; format: string }) => {
    const [type, name] = list.split(' ') as [ExportType, FilterName | undefined];
    const value = name && choices[type][name];
    const input = { eventId: event.id, type, format: format as ExportData['format'], filters: value ? [{ name: 'status', value }] : [] };
    // Excel needs the mark to recognise UTF-8 in a CSV file.
    onDone(await client.exports.request({ ...input, ...(format === 'csv' && { bom: true }) }, { headers: { 'accept-language': locale } }));
  };
  return (
    <Dialog title={t.request} onClose={onClose}>
      <Form
        initial={{ list: lists[0]?.value ?? '', format: 'csv' }}
        submit={({ values }) => submit(values)}
        onDone={() => {
          onClose();
          toast(t.requested);
        }}
        action={t.submit}
      >
        <SelectField name="list" label={t.type} options={lists} />
        <SelectField
          name="format"
          label={t.format}
          options={[
            { value: 'csv', label: t.formats.csv },
            { value: 'xlsx', label: t.formats.xlsx },
          ]}
        />
      </Form>
    </Dialog>
  );
}

import { isProblem } from '../../../../client/src/index.ts';
import { type ProducerRole, producerRoles } from '../../../../src/kernel/access.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';

interface InviteMemberProps {
  producerId: string;
  onInvited: () => Promise<void>;
  onClose: () => void;
}

const firstValues: { email: string; name: string | null; role: ProducerRole } = { email: '', name: null, role: 'manager' };

export function InviteMember({ producerId, onInvited, onClose }: InviteMemberProps) {
  const { client } = useConsole();
  const t = useMessages<ProducerMessages>();
  const toast = useToast();
  const invite = async ({ email, name, role }: typeof firstValues) => {
    try {
      await client.producers.members.add({ id: producerId, email, role, ...(name && { name }) });
      toast(fill(t.members.sent, { email }));
    } catch (error) {
      if (!isProblem(error, 'already_exists')) throw error;
      toast(t.members.exists, { tone: 'bad' });
    }
    onClose();
    await onInvited();
  };
  const options = producerRoles.map((value) => ({ value, label: `${t.members.roles[value]}: ${t.members.about[value]}` }));
  return (
    <Dialog title={t.members.add} onClose={onClose}>
      <Form draft={`member-${producerId}`} initial={firstValues} submit={({ values }) => invite(values)} action={t.members.submit}>
        <TextField name="email" label={t.members.email} type="email" maxLength={254} required />
        <TextField name="name" label={t.members.name} maxLength={200} />
        <SelectField name="role" label={t.members.role} options={options} required />
      </Form>
    </Dialog>
  );
}

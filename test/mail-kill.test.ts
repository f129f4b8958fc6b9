import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { useMailServer } from './mail-server.ts';
import { useProcesses } from './use-processes.ts';

const { demoDataFolder } = useProcesses();
const server = useMailServer();

describe('a service that is killed while it sends a mail', () => {
  it('sends the mail exactly once after the next start, with the same Message-ID', async () => {
    const folder = demoDataFolder();
    const environment = { SMTP_URL: server.url, MAIL_FROM: 'tickets@shop.example' };
    const service = await folder.serve(environment);
    server.silences = 1;
    const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
    const placed = await service.call('POST', '/v1/orders', { body: { eventId: 1, items: [{ itemId: 6, quantity: 1 }], buyer } });
    const { id, secret } = placed.body as { id: number; secret: string };
    await service.call('POST', `/v1/orders/${id}/payment?secret=${secret}`, { body: { method: 'card' } });
    await eventually('the mail is under way', () => server.unanswered);
    const [before] = await folder.query<{ message_id: string; attempts: number }>('select message_id, attempts from mail');
    await service.end('SIGKILL');

    await folder.serve(environment);
    await eventually('the mail has come', () => server.received[0]);
    const sent = () => folder.query<{ status: string }>(`select status, attempts from mail where status = 'sent'`);
    expect(await eventually('it is marked', async () => (await sent()).length > 0 && sent())).toEqual([{ status: 'sent', attempts: 1 }]);
    expect(before?.attempts).toBe(0);
    expect(server.received.map(({ email }) => email.messageId)).toEqual([`<${before?.message_id}@shop.example>`]);
  });
});

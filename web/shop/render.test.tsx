import { renderToString as render } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../src/storefront/contract.ts';
import type { TicketChoice } from '../../src/web/contract.ts';
import { messagesOf } from '../messages/catalogues.ts';
import { TicketChoiceForm } from './islands/ticket-choice.tsx';

const { tickets, refusal } = messagesOf('pt-BR');

const ticket = (changes: Partial<Ticket>): Ticket => ({
  id: 1,
  name: '2º lote',
  description: '',
  type: 'ticket',
  price: 8_000,
  feeSale: 800,
  finalPrice: 8_800,
  currency: 'BRL',
  status: 'available',
  hidden: false,
  minimum: null,
  maximum: null,
  start: '2026-11-26 10:00:00',
  finish: null,
  remaining: null,
  sessionIds: [],
  ...changes,
});

/** The text of the form, with plain spaces. */
function textOf(changes: Partial<Ticket>, more: Partial<TicketChoice> = {}): string {
  const choice: TicketChoice = {
    eventId: 1,
    locale: 'pt-BR',
    currency: 'BRL',
    maximumPerOrder: 20,
    groups: [{ id: 1, name: 'Pista', description: null, status: 'available', tickets: [ticket(changes)] }],
    sessionStarts: {},
    sessionId: null,
    passkey: null,
    chosen: {},
    refusal: null,
    ...more,
  };
  return render(<TicketChoiceForm choice={choice} tickets={tickets} refusal={refusal} />)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&nbsp;|\s+/g, ' ');
}

describe('a ticket in the list', () => {
  it.each<[string, Partial<Ticket>, string]>([
    ['on sale shows the total and what it consists of', {}, 'R$ 88,00 R$ 80,00 + R$ 8,00 de taxa'],
    ['without a fee says so', { feeSale: 0, finalPrice: 8_000 }, 'R$ 80,00 Sem taxa'],
    ['that is free says so', { price: 0, feeSale: 0, finalPrice: 0 }, 'Grátis'],
    ['that is nearly sold out says how many are left', { remaining: 3 }, 'Últimos 3'],
    ['that is sold out says so', { status: 'soldout', remaining: 0 }, 'Esgotado'],
    ['that goes on sale later says when', { status: 'notstarted' }, 'A partir de 26 de nov., 10:00'],
    ['with limits says them', { minimum: 2, maximum: 4 }, 'No mínimo 2 por pedido Até 4 por pedido'],
  ])('%s', (_case, changes, text) => {
    expect(textOf(changes)).toContain(text);
  });

  it('without anything on sale has no button to continue', () => {
    expect(textOf({})).toContain('Continuar');
    expect(textOf({ status: 'soldout' })).not.toContain('Continuar');
  });
});

import { renderToString as render } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../src/storefront/contract.ts';
import type { Frame, Session, TicketChoice } from '../../src/web/contract.ts';
import { messagesOf } from '../messages/catalogues.ts';
import { TicketChoiceForm } from './islands/ticket-choice.tsx';
import { SaleNotice, SessionPicker } from './sale.tsx';

const t = messagesOf('pt-BR');
const { tickets, refusal } = t;
const frame: Frame = { locale: 'pt-BR', origin: '', path: '/', query: '', categories: [], testMoney: false, scripts: {} };

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
    isPreview: false,
    waitingListHref: null,
    sessionId: null,
    passkey: null,
    chosen: {},
    refusal: null,
    ...more,
  };
  return plain(render(<TicketChoiceForm choice={choice} tickets={tickets} refusal={refusal} />));
}

const plain = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/&nbsp;|\s+/g, ' ');

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

describe('the notice above the tickets', () => {
  const noticeOf = (all: readonly Partial<Ticket>[]) => plain(render(<SaleNotice frame={frame} t={t} tickets={all.map(ticket)} />));

  it('is empty while a ticket is on sale', () => {
    expect(noticeOf([{}, { status: 'soldout' }])).toBe('');
  });

  it.each<[string, Partial<Ticket>[], string]>([
    ['when the sale opens', [{ status: 'notstarted' }, { status: 'soldout' }], 'As vendas abrem: quinta-feira, 26 de novembro'],
    ['that all tickets are sold out', [{ status: 'soldout' }, { status: 'finished' }], 'Todos os ingressos estão esgotados.'],
    ['that the sale has ended', [{ status: 'finished' }], 'A venda está encerrada.'],
  ])('says %s', (_case, all, text) => {
    expect(noticeOf(all)).toContain(text);
  });
});

it('the name of the chosen session is shown, and the names of sessions that start at the same time', () => {
  const session = (id: number, name: string, start: string): Session => ({
    id,
    name,
    start,
    finish: start,
    doorsOpenAt: null,
    status: 'available',
  });
  const sessions = [
    session(1, 'Matinê', '2026-11-26 16:00:00'),
    session(2, 'Sala A', '2026-11-26 20:00:00'),
    session(3, 'Sala B', '2026-11-26 20:00:00'),
  ];
  const html = render(<SessionPicker frame={frame} t={t} sessions={sessions} chosenId={1} addressOf={({ id }) => `?session=${id}`} />);
  expect(html).toContain('<span class="visually-hidden">Matinê</span>');
  expect(html).toContain('<strong>Matinê</strong>');
  expect(html).toContain('<span class="session-time">Sala B</span>');
});

import { renderToString as render } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/web/contract.ts';
import type { TicketCards as Cards, TicketCard } from '../../src/web/ticket-card-contract.ts';
import { messagesOf } from '../messages/catalogues.ts';
import { TicketCards } from './tickets.tsx';

const frame: Frame = {
  locale: 'pt-BR',
  origin: 'https://shop.example',
  path: '/',
  query: '',
  categories: [],
  testMoney: false,
  scripts: {},
};

const card: TicketCard = {
  id: 5001,
  number: 1,
  item: 'Pista · 2º lote',
  holder: 'Ana Souza',
  status: 'valid',
  sessions: [{ name: null, start: '2026-12-12 21:00:00', doorsOpenAt: '2026-12-12 20:00:00' }],
  qr: { size: 21, path: 'M0 0h1v1h-1z' },
};

function html(cards: Partial<TicketCard>[], more: Partial<Cards> = {}): string {
  const tickets: Cards = {
    orderId: 1001,
    title: 'Noite de Samba',
    image: { src: '/mosaic/music/noite-wide.svg', sources: [], width: 1200, height: 800 },
    venue: { name: 'Casa da Rua', address: 'São Paulo, SP' },
    cards: cards.map((changes, i) => ({ ...card, number: i + 1, ...changes })),
    total: cards.length,
    ...more,
  };
  return render(<TicketCards frame={frame} t={messagesOf('pt-BR')} tickets={tickets} />);
}

const textOf = (markup: string): string => markup.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the cards of tickets', () => {
  it('show the event, the date, the doors, the place, the item, the holder and the number', () => {
    const text = textOf(html([{}, {}]));
    for (const part of [
      'Ingresso 2 de 2',
      'Noite de Samba',
      'sáb., 12 de dez · 21:00',
      'Abertura das portas: 20:00',
      'Casa da Rua',
      'Pista · 2º lote',
      'Ana Souza',
      '1001-2',
      'Válido',
    ])
      expect(text).toContain(part);
  });

  it('contain the QR code, on white, so that no request is needed to show it', () => {
    const markup = html([{}]);
    expect(markup).toContain('aria-label="QR code do ingresso 1"');
    expect(markup).toContain('<path d="M0 0h1v1h-1z" fill="#000">');
    expect(markup).toContain('fill="#fff"');
  });

  it('of a used and a refunded ticket say so, and the refunded ticket has no code', () => {
    expect(textOf(html([{ status: 'used' }]))).toContain('Usado');
    const refunded = html([{ status: 'refunded', qr: null }]);
    expect(textOf(refunded)).toContain('Este ingresso foi reembolsado.');
    expect(refunded).not.toContain('class="pass-qr"');
    expect(refunded).not.toContain('tickets.pdf');
  });

  it('list the first sessions of a ticket for many sessions', () => {
    const sessions = [1, 2, 3, 4, 5].map((day) => ({ name: `Dia ${day}`, start: `2026-12-0${day} 21:00:00`, doorsOpenAt: null }));
    const text = textOf(html([{ sessions }]));
    expect(text).toContain('Dia 3');
    expect(text).not.toContain('Dia 4');
    expect(text).toContain('e mais 2 sessões');
  });

  it('of a large order say how many tickets are only in the PDF', () => {
    expect(textOf(html([{}], { total: 481 }))).toContain('Mais 480 ingressos estão no PDF.');
  });

  it('escape all texts', () => {
    const hostile = '<script>alert(1)</script>';
    const markup = html(
      [{ item: hostile, holder: hostile, sessions: [{ name: hostile, start: '2026-12-12 21:00:00', doorsOpenAt: null }] }],
      {
        title: hostile,
        venue: { name: hostile, address: hostile },
      },
    );
    expect(markup).not.toContain('<script');
    expect(markup.match(/&lt;script>/g)).toHaveLength(6);
  });
});

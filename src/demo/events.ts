import type { NewVenue as Venue } from '../events/contract.ts';

export interface DemoItem {
  name: string;
  description?: string;
  type?: 'passport' | 'courtesy' | 'external';
  /** The price in cents. */
  price: number;
  quantity?: number;
  hidden?: true;
  /** Passkeys that unlock a hidden item. `from` is in days from today, `limit` in tickets. */
  passkeys?: { text: string; from?: number; limit?: number }[];
  closed?: true;
  halfPrice?: true;
  maximum?: number;
  /** The sessions of the item, as indexes into `sessions` of the event. The default is all sessions. */
  sessions?: number[];
  /** Start and end of the sale, in days from today. The default is from ten days ago until the first session. */
  sale?: [number, number];
  /** Imported codes. The value is the name of the holder. */
  codes?: Record<string, string>;
}

export interface DemoGroup {
  name: string;
  quantity?: number;
  /** Set if the items are sold one after the other: the sale of an item opens when the previous item is sold out. */
  lots?: true;
  items: DemoItem[];
}

export interface DemoEvent {
  title: string;
  link: string;
  category: keyof typeof categories;
  producer: 'aurora' | 'mare';
  status: 'draft' | 'published' | 'private' | 'cancelled';
  timezone: string;
  venue: Venue;
  description: string;
  attributes?: Record<string, string | number | boolean>;
  /** `day` is in days from today. */
  sessions: { name: string; day: number; at: string; hours: number; capacity?: number }[];
  items: (DemoItem | DemoGroup)[];
  crew?: true;
}

export const categories = {
  music: 'Music',
  festivals: 'Festivals',
  theater: 'Theater',
  sports: 'Sports',
  conferences: 'Conferences',
  comedy: 'Comedy',
  food: 'Food and drink',
} as const;

const brazil = (name: string, city: string, state: string, lat: number, lng: number): Venue => ({
  name,
  city,
  state,
  country: 'BR',
  location: { lat, lng },
});

export const demoEvents: DemoEvent[] = [
  {
    title: 'Noite de Samba com Velha Guarda',
    link: 'noite-de-samba',
    category: 'music',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil('Casa da Rua', 'São Paulo', 'SP', -23.5505, -46.6333),
    description: '<p>Roda de samba até o amanhecer, com a Velha Guarda e convidados.</p>',
    attributes: { minimumAge: 18, parking: true, organizerNote: 'Abertura dos portões às 20h' },
    sessions: [{ name: 'Noite única', day: 21, at: '21:00:00', hours: 6, capacity: 1200 }],
    items: [
      {
        name: 'Pista',
        quantity: 1000,
        lots: true,
        items: [
          { name: '1º lote', price: 6000, quantity: 0, sale: [-40, -12] },
          { name: '2º lote', price: 8000, quantity: 400, maximum: 6 },
          { name: '2º lote · meia-entrada', price: 4000, quantity: 300, halfPrice: true, maximum: 2 },
          { name: '3º lote', price: 10000, quantity: 300, sale: [10, 21] },
        ],
      },
      { name: 'Camarote', description: 'Vista para o palco, bar exclusivo', price: 24000, quantity: 120, maximum: 4 },
      {
        name: 'Convidados',
        type: 'courtesy',
        price: 0,
        quantity: 80,
        hidden: true,
        passkeys: [
          { text: 'AMIGOS-DA-CASA', limit: 40 },
          { text: 'Imprensa', from: 7 },
        ],
      },
    ],
    crew: true,
  },
  {
    title: 'Festival Aurora',
    link: 'festival-aurora',
    category: 'festivals',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil('Parque das Mangueiras', 'Curitiba', 'PR', -25.4284, -49.2733),
    description: '<p>Três dias, quatro palcos, quarenta artistas.</p>',
    attributes: { minimumAge: 16, camping: true },
    sessions: [
      { name: 'Sexta', day: 60, at: '14:00:00', hours: 10, capacity: 20000 },
      { name: 'Sábado', day: 61, at: '12:00:00', hours: 12, capacity: 20000 },
      { name: 'Domingo', day: 62, at: '12:00:00', hours: 10, capacity: 20000 },
    ],
    items: [
      { name: 'Passaporte 3 dias', type: 'passport', price: 59000, quantity: 8000, maximum: 4 },
      { name: 'Passaporte 3 dias · meia-entrada', type: 'passport', price: 29500, quantity: 4000, halfPrice: true, maximum: 2 },
      {
        name: 'Ingresso por dia',
        quantity: 24000,
        items: [
          { name: 'Sexta', price: 22000, sessions: [0] },
          { name: 'Sábado', price: 26000, sessions: [1] },
          { name: 'Domingo', price: 24000, sessions: [2] },
        ],
      },
      { name: 'Patrocinadores', price: 0, quantity: 500, hidden: true, passkeys: [{ text: 'PATROCINIO', limit: 200 }] },
    ],
    crew: true,
  },
  {
    title: 'Hamlet',
    link: 'hamlet-rio',
    category: 'theater',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil('Teatro do Largo', 'Rio de Janeiro', 'RJ', -22.9068, -43.1729),
    description: '<p>O clássico de Shakespeare em montagem contemporânea.</p>',
    sessions: [
      { name: 'Quinta', day: 9, at: '20:30:00', hours: 3, capacity: 420 },
      { name: 'Sexta', day: 10, at: '20:30:00', hours: 3, capacity: 420 },
      { name: 'Sábado, matinê', day: 11, at: '16:00:00', hours: 3, capacity: 420 },
      { name: 'Sábado', day: 11, at: '20:30:00', hours: 3, capacity: 420 },
    ],
    items: [
      { name: 'Plateia', price: 12000, quantity: 1000 },
      { name: 'Plateia · meia-entrada', price: 6000, quantity: 600, halfPrice: true },
      { name: 'Balcão', price: 7000, quantity: 400 },
    ],
  },
  {
    title: 'Final do Campeonato',
    link: 'final-do-campeonato',
    category: 'sports',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil('Estádio Municipal', 'Belo Horizonte', 'MG', -19.9167, -43.9345),
    description: '<p>A decisão. Sessenta mil lugares, um gol.</p>',
    sessions: [{ name: 'Final', day: 30, at: '16:00:00', hours: 3, capacity: 60000 }],
    items: [
      {
        name: 'Arquibancada',
        quantity: 40000,
        items: [
          { name: 'Norte', price: 9000, quantity: 15000 },
          { name: 'Sul', price: 9000, quantity: 15000 },
          { name: 'Leste', price: 13000, quantity: 10000 },
        ],
      },
      { name: 'Cadeira numerada', price: 28000, quantity: 12000 },
      { name: 'Visitantes', price: 9000, quantity: 4000, hidden: true, passkeys: [{ text: 'TORCIDA-VISITANTE' }] },
    ],
    crew: true,
  },
  {
    title: 'Conferência de Software Livre',
    link: 'conferencia-software-livre',
    category: 'conferences',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Bahia',
    venue: brazil('Centro de Convenções', 'Salvador', 'BA', -12.9777, -38.5016),
    description: '<p>Dois dias de palestras e oficinas.</p>',
    sessions: [
      { name: 'Dia 1', day: 45, at: '09:00:00', hours: 9 },
      { name: 'Dia 2', day: 46, at: '09:00:00', hours: 9 },
    ],
    items: [
      { name: 'Inscrição completa', type: 'passport', price: 35000, quantity: 900 },
      { name: 'Estudante', type: 'passport', price: 12000, quantity: 300, halfPrice: true },
      { name: 'Oficina de PostgreSQL', price: 8000, quantity: 40, sessions: [0] },
      { name: 'Palestrantes', type: 'courtesy', price: 0, hidden: true },
    ],
  },
  {
    title: 'Stand-up: Riso Solto',
    link: 'riso-solto',
    category: 'comedy',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil('Porão da Comédia', 'São Paulo', 'SP', -23.5614, -46.6559),
    description: '<p>Esgotado em uma hora.</p>',
    sessions: [{ name: 'Sessão única', day: 5, at: '22:00:00', hours: 2, capacity: 80 }],
    items: [{ name: 'Mesa', price: 7000, quantity: 0 }],
  },
  {
    title: 'Réveillon na Praia',
    link: 'reveillon-na-praia',
    category: 'festivals',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Recife',
    venue: brazil('Arena da Praia', 'Recife', 'PE', -8.0476, -34.877),
    description: '<p>Já passou, e foi lindo.</p>',
    sessions: [{ name: 'Virada', day: -90, at: '21:00:00', hours: 8, capacity: 5000 }],
    items: [{ name: 'Open bar', price: 45000, quantity: 5000, sale: [-200, -90] }],
  },
  {
    title: 'Jantar às Escuras',
    link: 'jantar-as-escuras',
    category: 'food',
    producer: 'aurora',
    status: 'private',
    timezone: 'America/Sao_Paulo',
    venue: brazil('Endereço revelado na véspera', 'Campinas', 'SP', -22.9056, -47.0608),
    description: '<p>Só para quem recebeu o convite.</p>',
    sessions: [{ name: 'Jantar', day: 14, at: '20:00:00', hours: 3, capacity: 24 }],
    items: [{ name: 'Lugar à mesa', price: 32000, quantity: 24, maximum: 2 }],
  },
  {
    title: 'Carnaval do Ano que Vem',
    link: 'carnaval-do-ano-que-vem',
    category: 'festivals',
    producer: 'aurora',
    status: 'draft',
    timezone: 'America/Sao_Paulo',
    venue: brazil('Avenida', 'Rio de Janeiro', 'RJ', -22.9113, -43.1966),
    description: '<p>Ainda em planejamento.</p>',
    sessions: [{ name: 'Desfile', day: 120, at: '21:00:00', hours: 8 }],
    items: [{ name: 'Frisa', price: 90000, quantity: 2000, closed: true }],
  },
  {
    title: 'Orquestra ao Ar Livre',
    link: 'orquestra-ao-ar-livre',
    category: 'music',
    producer: 'aurora',
    status: 'cancelled',
    timezone: 'America/Porto_Velho',
    venue: brazil('Praça das Três Caixas', 'Porto Velho', 'RO', -8.7612, -63.9039),
    description: '<p>Cancelado por causa da chuva.</p>',
    sessions: [{ name: 'Concerto', day: 3, at: '18:00:00', hours: 2 }],
    items: [{ name: 'Cadeira', price: 3000, quantity: 800 }],
  },
  {
    title: 'Fado ao Entardecer',
    link: 'fado-ao-entardecer',
    category: 'music',
    producer: 'mare',
    status: 'published',
    timezone: 'Europe/Lisbon',
    venue: { name: 'Adega do Cais', city: 'Lisboa', state: 'LX', country: 'PT', location: { lat: 38.7223, lng: -9.1393 } },
    description: '<p>Guitarra, voz e vinho do Porto.</p>',
    sessions: [{ name: 'Serão', day: 18, at: '19:30:00', hours: 3, capacity: 90 }],
    items: [
      { name: 'Mesa', price: 4500, quantity: 60 },
      { name: 'Balcão', price: 2500, quantity: 30 },
    ],
    crew: true,
  },
  {
    title: 'Himalaya Jazz Weekend',
    link: 'himalaya-jazz-weekend',
    category: 'music',
    producer: 'mare',
    status: 'published',
    timezone: 'Asia/Kathmandu',
    venue: { name: 'Garden of Strings', city: 'Kathmandu', state: 'BG', country: 'NP', location: { lat: 27.7172, lng: 85.324 } },
    description: '<p>Two nights under the mountains.</p>',
    sessions: [
      { name: 'Saturday', day: 75, at: '18:45:00', hours: 5, capacity: 600 },
      { name: 'Sunday', day: 76, at: '18:45:00', hours: 5, capacity: 600 },
    ],
    items: [
      { name: 'Weekend pass', type: 'passport', price: 6000, quantity: 300, sale: [20, 75] },
      { name: 'One night', price: 3800, quantity: 600, sale: [20, 75] },
      {
        name: 'Sold by partners',
        type: 'external',
        price: 3800,
        quantity: 200,
        closed: true,
        codes: { 'HJW-7K2M-01': 'Anish Gurung', 'HJW-7K2M-02': 'Maya Tamang', 'HJW-9QXA-11': 'João Peixoto', 'HJW-9QXA-12': '' },
      },
    ],
  },
];

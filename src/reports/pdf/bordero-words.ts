import type { Locale } from '../../kernel/locale.ts';

export interface BorderoWords {
  title: string;
  generated(time: string): string;
  page(n: number, of: number): string;
  hash: string;
  sale(first: string, last: string): string;
  item: string;
  price: string;
  offered: string;
  sold: string;
  courtesy: string;
  refunded: string;
  gross: string;
  feeSale: string;
  feeProducer: string;
  net: string;
  total: string;
  wholeEvent: string;
  severalSessions: string;
  channels: string;
  channelNames: Record<number, string>;
  channel(id: number): string;
  payments: string;
  methods: Record<string, string>;
  costs: string;
  costsNote: string;
  fee: string;
  disputeFee: string;
  disputed: string;
  halfPrice(sold: string, percent: string): string;
}

export const words: Record<Locale, BorderoWords> = {
  en: {
    title: 'Bordero',
    generated: (time) => `Created ${time}`,
    page: (n, of) => `Page ${n} of ${of}`,
    hash: 'Hash (SHA-256)',
    sale: (first, last) => `Sales from ${first} to ${last}`,
    item: 'Item',
    price: 'Price',
    offered: 'Offered',
    sold: 'Sold',
    courtesy: 'Courtesies',
    refunded: 'Refunded',
    gross: 'Gross',
    feeSale: 'Fee (buyer)',
    feeProducer: 'Fee (producer)',
    net: 'Net',
    total: 'Total',
    wholeEvent: 'Whole event',
    severalSessions: 'Several sessions',
    channels: 'Sales channels',
    channelNames: { 1: 'Web shop', 2: 'Box office', 3: 'App', 4: 'Partners' },
    channel: (id) => `Channel ${id}`,
    payments: 'Payment methods',
    methods: { card: 'Card', pix: 'PIX', cash: 'Cash', boleto: 'Boleto', free: 'Free' },
    costs: 'Costs of payments',
    costsNote: 'The platform pays the provider fees. Dispute fees and disputed money reduce what the producer receives.',
    fee: 'Provider fees',
    disputeFee: 'Dispute fees',
    disputed: 'Disputed',
    halfPrice: (sold, percent) => `Half price: ${sold} tickets, ${percent} of the sold tickets`,
  },
  'pt-BR': {
    title: 'Borderô',
    generated: (time) => `Emitido em ${time}`,
    page: (n, of) => `Página ${n} de ${of}`,
    hash: 'Hash (SHA-256)',
    sale: (first, last) => `Vendas de ${first} a ${last}`,
    item: 'Item',
    price: 'Preço',
    offered: 'Ofertados',
    sold: 'Vendidos',
    courtesy: 'Cortesias',
    refunded: 'Reembolsados',
    gross: 'Bruto',
    feeSale: 'Taxa (comprador)',
    feeProducer: 'Taxa (produtor)',
    net: 'Líquido',
    total: 'Total',
    wholeEvent: 'Evento inteiro',
    severalSessions: 'Várias sessões',
    channels: 'Canais de venda',
    channelNames: { 1: 'Loja virtual', 2: 'Bilheteria', 3: 'Aplicativo', 4: 'Parceiros' },
    channel: (id) => `Canal ${id}`,
    payments: 'Formas de pagamento',
    methods: { card: 'Cartão', pix: 'PIX', cash: 'Dinheiro', boleto: 'Boleto', free: 'Gratuito' },
    costs: 'Custos dos pagamentos',
    costsNote:
      'A plataforma paga as tarifas dos meios de pagamento. Tarifas de contestação e valores contestados reduzem o que o produtor recebe.',
    fee: 'Tarifas',
    disputeFee: 'Tarifas de contestação',
    disputed: 'Contestado',
    halfPrice: (sold, percent) => `Meia-entrada: ${sold} ingressos, ${percent} dos ingressos vendidos`,
  },
  es: {
    title: 'Borderó',
    generated: (time) => `Emitido el ${time}`,
    page: (n, of) => `Página ${n} de ${of}`,
    hash: 'Hash (SHA-256)',
    sale: (first, last) => `Ventas del ${first} al ${last}`,
    item: 'Entrada',
    price: 'Precio',
    offered: 'Ofrecidas',
    sold: 'Vendidas',
    courtesy: 'Cortesías',
    refunded: 'Reembolsadas',
    gross: 'Bruto',
    feeSale: 'Cargo (comprador)',
    feeProducer: 'Cargo (productor)',
    net: 'Neto',
    total: 'Total',
    wholeEvent: 'Todo el evento',
    severalSessions: 'Varias sesiones',
    channels: 'Canales de venta',
    channelNames: { 1: 'Tienda web', 2: 'Taquilla', 3: 'Aplicación', 4: 'Socios' },
    channel: (id) => `Canal ${id}`,
    payments: 'Formas de pago',
    methods: { card: 'Tarjeta', pix: 'PIX', cash: 'Efectivo', boleto: 'Boleto', free: 'Gratis' },
    costs: 'Costos de los pagos',
    costsNote:
      'La plataforma paga las comisiones de los medios de pago. Las comisiones por disputas y el dinero disputado reducen lo que recibe el productor.',
    fee: 'Comisiones',
    disputeFee: 'Comisiones por disputas',
    disputed: 'Disputado',
    halfPrice: (sold, percent) => `Medio precio: ${sold} entradas, ${percent} de las vendidas`,
  },
};

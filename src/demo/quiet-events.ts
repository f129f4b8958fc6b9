import { brazil, type DemoEvent } from './demo-event.ts';

/** Events of Aurora Produções that are not in public lists: a private one, a draft and a cancelled one. */
export const quietEvents: DemoEvent[] = [
  {
    title: 'Jantar às Escuras',
    subtitle: 'Sete pratos, nenhuma luz',
    link: 'jantar-as-escuras',
    category: 'food',
    producer: 'aurora',
    status: 'private',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Endereço revelado na véspera', 'Cambuí', 'Campinas', 'SP', '13025-000'], -22.8959, -47.0538),
    description:
      '<p>Você recebeu este convite porque já jantou conosco. O salão fica totalmente escuro, os garçons são cegos e o menu só é contado no café.</p><p>Avise restrições alimentares até dois dias antes.</p>',
    doorsOpen: 15,
    ageRating: '16',
    faq: [{ question: 'Posso usar o celular?', answer: 'Não. Ele fica na entrada, num cofre com a sua chave.' }],
    accessibility: 'O salão fica no térreo. A equipe recebe cada mesa na porta e a acompanha até o lugar.',
    sessions: [{ name: 'Jantar', day: 14, at: '20:00:00', hours: 3, capacity: 24 }],
    items: [{ name: 'Lugar à mesa', description: 'Sete pratos e harmonização', price: 32000, quantity: 24, maximum: 2 }],
  },
  {
    title: 'Camarote Aurora · Desfile das Campeãs',
    subtitle: 'Vista para o segundo recuo da bateria',
    link: 'camarote-desfile-das-campeas',
    category: 'festivals',
    producer: 'aurora',
    status: 'draft',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Sambódromo', 'Rua Marquês de Sapucaí', 'Rio de Janeiro', 'RJ', '20220-007'], -22.9113, -43.1966),
    description: '<p>Rascunho: faltam as atrações da noite e a foto do camarote.</p>',
    doorsOpen: 60,
    ageRating: '18',
    sessions: [{ name: 'Desfile das Campeãs', day: 120, at: '21:00:00', hours: 8 }],
    items: [{ name: 'Frisa', price: 90000, quantity: 2000, closed: true }],
  },
  {
    title: 'Orquestra ao Ar Livre',
    subtitle: 'Villa-Lobos e Ernesto Nazareth na praça',
    link: 'orquestra-ao-ar-livre',
    category: 'music',
    producer: 'aurora',
    status: 'cancelled',
    timezone: 'America/Porto_Velho',
    venue: brazil(['Praça das Três Caixas d’Água', 'Avenida Carlos Gomes', 'Porto Velho', 'RO', '76801-123'], -8.7612, -63.9039),
    description:
      '<p>Por causa do temporal previsto, o concerto foi cancelado. Quem comprou recebe o dinheiro de volta pelo mesmo meio de pagamento.</p>',
    doorsOpen: 60,
    ageRating: 'L',
    sessions: [{ name: 'Concerto', day: 3, at: '18:00:00', hours: 2 }],
    items: [{ name: 'Cadeira', price: 3000, quantity: 800 }],
  },
];

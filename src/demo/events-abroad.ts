import type { DemoEvent } from './demo-event.ts';

/** The events of Maré Eventos, in euros. */
export const eventsAbroad: DemoEvent[] = [
  {
    title: 'Fado ao Entardecer',
    subtitle: 'Mariana Lobo, voz · Rui Salgado, guitarra portuguesa',
    link: 'fado-ao-entardecer',
    category: 'music',
    producer: 'mare',
    status: 'published',
    timezone: 'Europe/Lisbon',
    venue: {
      name: 'Adega do Cais',
      street: 'Rua da Cintura do Porto, 12',
      city: 'Lisboa',
      state: 'LX',
      country: 'PT',
      zip: '1200-109',
      location: { lat: 38.7054, lng: -9.1551 },
    },
    description:
      '<p>Às sete e meia apagam-se as luzes e fecha-se a porta. Três séries de fado tradicional, com o Tejo do outro lado do vidro e um cálice de Porto a acompanhar.</p><p>O jantar é servido entre as séries e paga-se à parte. Durante o fado não se fala.</p>',
    doorsOpen: 45,
    ageRating: '12',
    faq: [
      { question: 'Posso reservar só o espetáculo, sem jantar?', answer: 'Sim, ao balcão. As mesas são para quem janta.' },
      {
        question: 'Can I come if I do not speak Portuguese?',
        answer: 'Of course. You get the lyrics in English and Spanish at your table.',
      },
    ],
    accessibility: 'A sala fica no rés do chão, sem degraus. A casa de banho adaptada é junto ao bar.',
    sessions: [{ name: 'Serão', day: 18, at: '19:30:00', hours: 3, capacity: 90 }],
    items: [
      { name: 'Mesa', description: 'Lugar à mesa, com cálice de Porto', price: 4500, quantity: 60 },
      { name: 'Balcão', price: 2500, quantity: 30 },
    ],
    crew: true,
  },
  {
    title: 'Himalaya Jazz Weekend',
    subtitle: 'Two nights, six bands, one valley',
    link: 'himalaya-jazz-weekend',
    category: 'music',
    producer: 'mare',
    status: 'published',
    timezone: 'Asia/Kathmandu',
    venue: {
      name: 'Garden of Strings',
      street: 'Lazimpat Road',
      city: 'Kathmandu',
      state: 'BG',
      country: 'NP',
      location: { lat: 27.7245, lng: 85.3213 },
    },
    description:
      '<p>Every winter, musicians from Lisbon, Mumbai and Kathmandu meet in a walled garden under the hills. Sarangi meets saxophone, and nobody knows how the second set will end.</p><h3>First night</h3><p>Tamang Trio · Luísa Pratas Quartet · Valley Big Band</p><h3>Second night</h3><p>Anoushka Rai · Cais Sextet · open jam with everybody</p>',
    doorsOpen: 45,
    ageRating: 'L',
    faq: [
      { question: 'Is it cold?', answer: 'After sunset it is about 6 °C. There are fire bowls and blankets, but bring a warm jacket.' },
      { question: 'Is there food?', answer: 'Yes: momos, dal bhat and Portuguese custard tarts, from 17:00.' },
    ],
    accessibility: 'Gravel paths lead to all seats. Write to us and we lay mats for your wheelchair. Assistance dogs are welcome.',
    sessions: [
      { name: 'First night', day: 75, at: '18:45:00', hours: 5, capacity: 600 },
      { name: 'Second night', day: 76, at: '18:45:00', hours: 5, capacity: 600 },
    ],
    items: [
      { name: 'Weekend pass', description: 'Both nights', type: 'passport', price: 6000, quantity: 300, sale: [20, 75] },
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
  {
    title: 'Porto Design Days',
    subtitle: 'Talks, type and tiles',
    link: 'porto-design-days',
    category: 'conferences',
    producer: 'mare',
    status: 'published',
    timezone: 'Europe/Lisbon',
    venue: {
      name: 'Alfândega',
      street: 'Rua Nova da Alfândega',
      city: 'Porto',
      state: 'PT',
      country: 'PT',
      zip: '4050-430',
      location: { lat: 41.1433, lng: -8.6214 },
    },
    description:
      '<p>Twelve talks about letters, wayfinding and everyday things, in the old customs house on the Douro. The afternoon belongs to workshops: letterpress, tile painting and variable fonts.</p><p>All talks are in English. The ticket includes coffee, lunch and a walk along the river with the speakers.</p>',
    doorsOpen: 60,
    faq: [
      { question: 'Will the talks be recorded?', answer: 'Yes. Everybody who has a ticket gets the recordings two weeks later.' },
      { question: 'Do you have tickets for students?', answer: 'Yes. Show your student card at the registration desk.' },
    ],
    accessibility: 'Step-free from the tram stop to every room. Live captions in English. Quiet room on the first floor.',
    sessions: [{ name: 'Conference day', day: 52, at: '09:30:00', hours: 9, capacity: 450 }],
    items: [
      { name: 'Conference', price: 18000, quantity: 350 },
      { name: 'Student', price: 6000, quantity: 100, halfPrice: true },
      { name: 'Tile workshop', description: 'Two hours; you take your tile home', price: 3500, quantity: 24 },
    ],
  },
];

import { brazil, type DemoEvent, halfPriceFaq } from './demo-event.ts';

/** More events of Aurora Produções, so that lists and categories are not empty. */
export const moreEventsInBrazil: DemoEvent[] = [
  {
    title: 'Corrida da Lagoa',
    subtitle: '5 km, 10 km e caminhada',
    link: 'corrida-da-lagoa',
    category: 'sports',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(
      ['Lagoa Rodrigo de Freitas', 'Avenida Borges de Medeiros, 1424', 'Rio de Janeiro', 'RJ', '22470-003'],
      -22.9711,
      -43.2105,
    ),
    description:
      '<p>Largada às sete, com a Lagoa ainda em silêncio. Percurso plano e medido, hidratação a cada 2,5 km e café da manhã na chegada.</p><p>O kit tem camiseta, número com chip e sacola. Retirada nos dois dias anteriores, na sede náutica.</p>',
    doorsOpen: 90,
    ageRating: 'L',
    faq: [
      { question: 'Posso retirar o kit de outra pessoa?', answer: 'Pode, com o ingresso e uma cópia do documento dela.' },
      { question: 'Tem guarda-volumes?', answer: 'Sim, de graça, ao lado da largada.' },
    ],
    accessibility: 'Pelotão de cadeirantes com largada dez minutos antes. Guias voluntários para corredores cegos: avise ao retirar o kit.',
    sessions: [{ name: 'Largada', day: 34, at: '07:00:00', hours: 4, capacity: 6000 }],
    items: [
      { name: '10 km', price: 13900, quantity: 2500, maximum: 4 },
      { name: '5 km', price: 11900, quantity: 2500, maximum: 4 },
      { name: 'Caminhada 3 km', price: 7900, quantity: 1000, maximum: 6 },
    ],
  },
  {
    title: 'O Menino e o Vento',
    subtitle: 'Teatro de bonecos para crianças a partir de 3 anos',
    link: 'o-menino-e-o-vento',
    category: 'theater',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Teatro da Vila', 'Rua Jericó, 256', 'São Paulo', 'SP', '05435-040'], -23.5538, -46.6903),
    description:
      '<p>Um menino perde a pipa e sai à procura do vento. Bonecos de papel, sombras e uma sanfona contam a viagem em cinquenta minutos, sem nenhuma palavra.</p><p>Depois da peça as crianças montam a sua pipa com os atores.</p>',
    doorsOpen: 30,
    ageRating: 'L',
    faq: [
      { question: 'Criança de colo paga?', answer: 'Até 24 meses não paga, no colo de um adulto.' },
      { question: 'Posso entrar com carrinho?', answer: 'O carrinho fica na chapelaria, que é de graça.' },
      halfPriceFaq,
    ],
    accessibility:
      'A sessão relaxada tem luz acesa, som mais baixo e liberdade para andar pela sala. Quatro lugares para cadeira de rodas.',
    sessions: [
      { name: 'Primeira sessão', day: 12, at: '16:00:00', hours: 1, capacity: 140 },
      { name: 'Sessão relaxada', day: 13, at: '11:00:00', hours: 1, capacity: 100 },
      { name: 'Última sessão', day: 13, at: '16:00:00', hours: 1, capacity: 140 },
    ],
    items: [
      { name: 'Inteira', price: 5000, quantity: 250 },
      { name: 'Meia-entrada', price: 2500, quantity: 200, halfPrice: true },
    ],
  },
  {
    title: 'Mesa Mineira',
    subtitle: 'Doze cozinheiras, doze panelas, um quintal',
    link: 'mesa-mineira',
    category: 'food',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Fazenda do Rosário', 'Estrada Real, km 4', 'Tiradentes', 'MG', '36325-000'], -21.1102, -44.1781),
    description:
      '<p>Frango com quiabo, tutu, ora-pro-nóbis e o pão de queijo que sai a cada vinte minutos. O ingresso dá direito a provar tudo, com o prato e a taça que você leva para casa.</p><p>Moda de viola ao meio-dia e oficina de queijo às três.</p>',
    doorsOpen: 0,
    ageRating: 'L',
    faq: [
      { question: 'Há opções vegetarianas?', answer: 'Cinco das doze panelas não levam carne. Elas têm uma bandeira verde.' },
      { question: 'Como chego?', answer: 'Há van de hora em hora, da praça central de Tiradentes, incluída no ingresso.' },
    ],
    accessibility: 'O quintal é de terra batida e plano. Mesas com altura para cadeira de rodas e banheiro acessível na casa principal.',
    sessions: [
      { name: 'Primeiro almoço', day: 26, at: '11:00:00', hours: 7, capacity: 400 },
      { name: 'Segundo almoço', day: 27, at: '11:00:00', hours: 6, capacity: 400 },
    ],
    items: [
      { name: 'Mesa completa', description: 'Doze provas, prato e taça', price: 18900, quantity: 700, maximum: 8 },
      { name: 'Criança de 6 a 12 anos', price: 7900, quantity: 100, maximum: 4 },
    ],
  },
  {
    title: 'Noite do Improviso',
    subtitle: 'A plateia sugere, o elenco se vira',
    link: 'noite-do-improviso',
    category: 'comedy',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Porão da Comédia', 'Rua Augusta, 1832', 'São Paulo', 'SP', '01412-100'], -23.5577, -46.6616),
    description:
      '<p>Nada foi ensaiado. Você escreve uma palavra num papel, e quatro improvisadores fazem dela uma novela, um musical ou uma reunião de família.</p><p>Toda semana, um elenco diferente.</p>',
    doorsOpen: 60,
    ageRating: '14',
    faq: [{ question: 'Vão me chamar ao palco?', answer: 'Só se você quiser. Quem senta nas mesas com a luz azul não é chamado.' }],
    accessibility: 'O porão tem uma escada de doze degraus. Ligue antes e descemos com você pelo elevador de carga.',
    sessions: [
      { name: 'Primeira noite', day: 7, at: '21:00:00', hours: 2, capacity: 80 },
      { name: 'Segunda noite', day: 14, at: '21:00:00', hours: 2, capacity: 80 },
    ],
    items: [
      { name: 'Mesa', price: 6000, quantity: 120, maximum: 6 },
      { name: 'Mesa · meia-entrada', price: 3000, quantity: 40, halfPrice: true, maximum: 2 },
    ],
  },
];

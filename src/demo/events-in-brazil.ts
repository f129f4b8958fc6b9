import { brazil, type DemoEvent, halfPriceFaq } from './demo-event.ts';

/** The events of Aurora Produções that the tutorial refers to. Their order decides their ids. */
export const eventsInBrazil: DemoEvent[] = [
  {
    title: 'Noite de Samba com Velha Guarda',
    subtitle: 'Roda de samba com Dona Zulmira, Mestre Tião e convidados',
    link: 'noite-de-samba',
    category: 'music',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Casa da Rua', 'Rua Barra Funda, 1071', 'São Paulo', 'SP', '01152-000'], -23.5271, -46.6641),
    description:
      '<p>A roda começa às nove e só termina quando o último cavaquinho cansar. A Velha Guarda da Casa recebe <strong>Dona Zulmira</strong> e <strong>Mestre Tião</strong> para uma noite de partido-alto, samba de terreiro e clássicos que todo mundo canta junto.</p><h3>Programação</h3><ul><li>20h · Abertura da casa e feijoada no quintal</li><li>21h · Roda de abertura</li><li>23h · Velha Guarda e convidados</li><li>2h · Roda livre: traga o seu pandeiro</li></ul><p>Feijoada e bar à parte. O quintal é coberto: tem samba com chuva também.</p>',
    doorsOpen: 60,
    ageRating: '18',
    faq: [
      halfPriceFaq,
      {
        question: 'Posso sair e voltar?',
        answer: 'Pode, até a meia-noite, com a pulseira que você recebe na entrada. Depois disso a saída é definitiva.',
      },
      {
        question: 'Tem estacionamento?',
        answer: 'Sim, conveniado, na Rua Lopes Chaves, 120. R$ 40 a noite. O metrô Barra Funda fica a 8 minutos a pé.',
      },
    ],
    accessibility:
      'Entrada e banheiro acessíveis no térreo, área reservada em frente ao palco e cardápio em braile. Pessoas com deficiência não pegam fila: procure a equipe na porta.',
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
      {
        name: 'Camarote',
        description: 'Mezanino com vista para o palco, bar e banheiro exclusivos',
        price: 24000,
        quantity: 120,
        maximum: 4,
      },
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
    subtitle: 'Três dias, quatro palcos, quarenta artistas',
    link: 'festival-aurora',
    category: 'festivals',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Parque das Mangueiras', 'Rodovia do Café, km 12', 'Curitiba', 'PR', '82305-100'], -25.4284, -49.2733),
    description:
      '<p>Na décima edição, o Festival Aurora volta ao parque com quatro palcos entre as araucárias. Rock, rap, eletrônica e a nova música brasileira, do meio-dia à meia-noite.</p><h3>Os palcos</h3><ul><li><strong>Palco Aurora</strong>: os grandes nomes, sem shows simultâneos depois das 21h</li><li><strong>Palco Raiz</strong>: maracatu, forró e moda de viola</li><li><strong>Palco Neblina</strong>: eletrônica dentro da mata</li><li><strong>Palco Quintal</strong>: bandas novas escolhidas pelo público</li></ul><p>Copo retornável, água de graça em oito pontos e ônibus da rodoviária a cada quinze minutos.</p>',
    doorsOpen: 120,
    ageRating: '16',
    faq: [
      halfPriceFaq,
      {
        question: 'Menores de 16 anos podem entrar?',
        answer: 'Sim, com pai, mãe ou responsável legal e documento com foto de ambos. Crianças de até 8 anos não pagam.',
      },
      {
        question: 'O que não posso levar?',
        answer:
          'Garrafas de vidro, guarda-chuvas, cadeiras e câmeras profissionais. Leve capa de chuva, protetor solar e um lanche para uma pessoa.',
      },
      {
        question: 'Posso transferir o passaporte para outra pessoa?',
        answer: 'Pode. O nome não é conferido na entrada: quem apresenta o código entra.',
      },
      { question: 'E se chover?', answer: 'O festival acontece com qualquer tempo. Só raios interrompem os shows, até o céu abrir.' },
    ],
    accessibility:
      'Plataformas elevadas nos palcos Aurora e Raiz, caminhos pavimentados até todos os palcos, banheiros acessíveis e sala de descanso sensorial.\nIntérpretes de Libras nos shows do Palco Aurora. Carrinhos elétricos saem do portão 2.',
    attributes: { minimumAge: 16, camping: true },
    sessions: [
      { name: 'Primeiro dia', day: 60, at: '14:00:00', hours: 10, capacity: 20000 },
      { name: 'Segundo dia', day: 61, at: '12:00:00', hours: 12, capacity: 20000 },
      { name: 'Terceiro dia', day: 62, at: '12:00:00', hours: 10, capacity: 20000 },
    ],
    items: [
      {
        name: 'Passaporte 3 dias',
        description: 'Todos os palcos, os três dias',
        type: 'passport',
        price: 59000,
        quantity: 8000,
        maximum: 4,
      },
      { name: 'Passaporte 3 dias · meia-entrada', type: 'passport', price: 29500, quantity: 4000, halfPrice: true, maximum: 2 },
      {
        name: 'Ingresso por dia',
        quantity: 24000,
        items: [
          { name: 'Primeiro dia', price: 22000, sessions: [0] },
          { name: 'Segundo dia', price: 26000, sessions: [1] },
          { name: 'Terceiro dia', price: 24000, sessions: [2] },
        ],
      },
      { name: 'Patrocinadores', price: 0, quantity: 500, hidden: true, passkeys: [{ text: 'PATROCINIO', limit: 200 }] },
    ],
    crew: true,
  },
  {
    title: 'Hamlet',
    subtitle: 'De William Shakespeare, direção de Helena Prado',
    link: 'hamlet-rio',
    category: 'theater',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Teatro do Largo', 'Largo de São Francisco, 40', 'Rio de Janeiro', 'RJ', '20051-070'], -22.9068, -43.1807),
    description:
      '<p>Um escritório envidraçado em Botafogo, um pai morto e um tio que assumiu a presidência. Helena Prado leva a Dinamarca para o topo de um prédio carioca, com <em>Caio Brandão</em> no papel-título e trilha tocada ao vivo.</p><p>Tradução de Lídia Sampaio. Duração: 2h40, com intervalo de 15 minutos.</p>',
    doorsOpen: 30,
    ageRating: '14',
    faq: [
      halfPriceFaq,
      {
        question: 'Posso entrar depois do início?',
        answer: 'Só no intervalo. O teatro fecha as portas às 20h30 em ponto, na matinê às 16h.',
      },
    ],
    accessibility:
      'Seis lugares para cadeira de rodas na plateia, com lugar para acompanhante. Na matinê há audiodescrição e tradução em Libras.',
    sessions: [
      { name: 'Estreia', day: 9, at: '20:30:00', hours: 3, capacity: 420 },
      { name: 'Segunda noite', day: 10, at: '20:30:00', hours: 3, capacity: 420 },
      { name: 'Matinê', day: 11, at: '16:00:00', hours: 3, capacity: 420 },
      { name: 'Última noite', day: 11, at: '20:30:00', hours: 3, capacity: 420 },
    ],
    items: [
      { name: 'Plateia', price: 12000, quantity: 1000 },
      { name: 'Plateia · meia-entrada', price: 6000, quantity: 600, halfPrice: true },
      { name: 'Balcão', description: 'Visão parcial do fundo do palco', price: 7000, quantity: 400 },
    ],
  },
  {
    title: 'Final do Campeonato',
    subtitle: 'Jogo decisivo · a taça sai daqui',
    link: 'final-do-campeonato',
    category: 'sports',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Estádio Municipal', 'Avenida dos Esportes, 1500', 'Belo Horizonte', 'MG', '31275-000'], -19.8659, -43.9711),
    description:
      '<p>Depois do empate no jogo de ida, quem vencer leva a taça. Se ficar tudo igual, a decisão vai para os pênaltis.</p><p>Os portões abrem duas horas antes. Venha cedo: no entorno do estádio o trânsito fecha às 14h, e o metrô circula até a meia-noite.</p>',
    doorsOpen: 120,
    ageRating: 'L',
    faq: [
      halfPriceFaq,
      {
        question: 'Posso levar bandeira?',
        answer: 'Pode, sem mastro e com até 2 m × 1 m. Faixas maiores precisam de autorização da Polícia Militar.',
      },
      {
        question: 'Criança paga?',
        answer: 'Crianças de até 5 anos entram de graça no colo do responsável. A partir de 6 anos, meia-entrada.',
      },
    ],
    accessibility:
      'Setor acessível no anel inferior leste, com elevador pelo portão 6. Pessoas com deficiência compram o setor Leste e levam um acompanhante.',
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
      { name: 'Cadeira numerada', description: 'Anel superior oeste, coberto', price: 28000, quantity: 12000 },
      { name: 'Visitantes', price: 9000, quantity: 4000, hidden: true, passkeys: [{ text: 'TORCIDA-VISITANTE' }] },
    ],
    crew: true,
  },
  {
    title: 'Conferência de Software Livre',
    subtitle: 'Dois dias de palestras, oficinas e cerveja com quem escreve o código',
    link: 'conferencia-software-livre',
    category: 'conferences',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Bahia',
    venue: brazil(['Centro de Convenções', 'Avenida Octávio Mangabeira, 5490', 'Salvador', 'BA', '41715-000'], -12.9866, -38.4346),
    description:
      '<p>Cinquenta palestras em três trilhas: <strong>infraestrutura</strong>, <strong>web</strong> e <strong>governo aberto</strong>. À noite, encontro das comunidades na praia de Jardim de Alah.</p><p>As palestras são gravadas e publicadas com legenda. O almoço está incluído na inscrição completa.</p>',
    doorsOpen: 45,
    ageRating: 'L',
    faq: [
      { question: 'Recebo certificado?', answer: 'Sim, por e-mail, na semana seguinte, com a carga horária de 16 horas.' },
      { question: 'A inscrição de estudante exige comprovante?', answer: 'Sim. Apresente a carteira de estudante no credenciamento.' },
      { question: 'Onde me hospedo?', answer: 'Há desconto em três hotéis no Jardim de Alah. O código chega por e-mail com o ingresso.' },
    ],
    accessibility: 'Todas as salas ficam no térreo. Legendas ao vivo na sala principal e espaço de acolhimento para quem amamenta.',
    sessions: [
      { name: 'Dia 1', day: 45, at: '09:00:00', hours: 9 },
      { name: 'Dia 2', day: 46, at: '09:00:00', hours: 9 },
    ],
    items: [
      { name: 'Inscrição completa', description: 'Os dois dias, com almoço', type: 'passport', price: 35000, quantity: 900 },
      { name: 'Estudante', type: 'passport', price: 12000, quantity: 300, halfPrice: true },
      { name: 'Oficina de PostgreSQL', description: 'Traga o seu computador', price: 8000, quantity: 40, sessions: [0] },
      { name: 'Palestrantes', type: 'courtesy', price: 0, hidden: true },
    ],
  },
  {
    title: 'Stand-up: Riso Solto',
    subtitle: 'Bia Castanho, Téo Nunes e uma surpresa',
    link: 'riso-solto',
    category: 'comedy',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Sao_Paulo',
    venue: brazil(['Porão da Comédia', 'Rua Augusta, 1832', 'São Paulo', 'SP', '01412-100'], -23.5577, -46.6616),
    description:
      '<p>Uma hora e meia de texto novo, antes de virar turnê. Bia fala de condomínio, Téo fala da mãe, e o terceiro nome só se descobre na hora.</p><p>Esgotou em uma hora. Novas datas saem na próxima semana.</p>',
    doorsOpen: 60,
    ageRating: '16',
    faq: [{ question: 'Tem consumação mínima?', answer: 'Não. A cozinha funciona até o fim do show.' }],
    sessions: [{ name: 'Sessão única', day: 5, at: '22:00:00', hours: 2, capacity: 80 }],
    items: [{ name: 'Mesa', price: 7000, quantity: 0 }],
  },
  {
    title: 'Réveillon na Praia',
    subtitle: 'Open bar, ceia e queima de fogos na beira do mar',
    link: 'reveillon-na-praia',
    category: 'festivals',
    producer: 'aurora',
    status: 'published',
    timezone: 'America/Recife',
    venue: brazil(['Arena da Praia', 'Avenida Boa Viagem, 3500', 'Recife', 'PE', '51020-001'], -8.1197, -34.8936),
    description:
      '<p>Foi a nossa maior virada: cinco mil pessoas de branco, frevo até o sol nascer e quinze minutos de fogos sem estampido.</p><p>As fotos estão no nosso Instagram. Até a próxima!</p>',
    doorsOpen: 90,
    ageRating: '18',
    sessions: [{ name: 'Virada', day: -90, at: '21:00:00', hours: 8, capacity: 5000 }],
    items: [{ name: 'Open bar', price: 45000, quantity: 5000, sale: [-200, -90] }],
  },
];

/** Returns the URL of a picture that does not exist. The demo only needs valid URLs. */
const image = (name: string) => `https://images.example.com/${name}.jpg`;

export const featured = [
  { link: 'festival-aurora', image: image('festival-aurora') },
  { link: 'noite-de-samba', image: image('noite-de-samba') },
  { link: 'final-do-campeonato', image: image('final-do-campeonato') },
];

export const homeSections = [
  { title: 'Esta semana', links: ['riso-solto', 'noite-do-improviso', 'hamlet-rio', 'o-menino-e-o-vento'] },
  { title: 'Música', links: ['noite-de-samba', 'fado-ao-entardecer', 'himalaya-jazz-weekend', 'festival-aurora'] },
  { title: 'Para sair de casa', links: ['mesa-mineira', 'corrida-da-lagoa', 'final-do-campeonato'] },
  { title: 'Para aprender', links: ['conferencia-software-livre', 'porto-design-days'] },
];

export const homeCover = { image: image('cover'), title: 'O verão começa aqui', target: '/festivals' };

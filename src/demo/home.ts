/** Returns the URL of a picture that does not exist. The demo only needs valid URLs. */
const image = (name: string) => `https://images.example.com/${name}.jpg`;

export const featured = [
  { link: 'festival-aurora', image: image('festival-aurora') },
  { link: 'noite-de-samba', image: image('noite-de-samba') },
  { link: 'final-do-campeonato', image: image('final-do-campeonato') },
];

export const homeSections = [
  { title: 'Esta semana', links: ['hamlet-rio', 'riso-solto'] },
  { title: 'Grandes festivais', links: ['festival-aurora', 'reveillon-na-praia'] },
  { title: 'Música', links: ['noite-de-samba', 'fado-ao-entardecer', 'himalaya-jazz-weekend'] },
];

export const homeCover = { image: image('cover'), title: 'O verão começa aqui', target: '/festivals' };

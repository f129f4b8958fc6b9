export const featured = ['festival-aurora', 'noite-de-samba', 'final-do-campeonato'];

export const homeSections = [
  { title: 'Esta semana', links: ['hamlet-rio', 'riso-solto'] },
  { title: 'Grandes festivais', links: ['festival-aurora', 'reveillon-na-praia'] },
  { title: 'Música', links: ['noite-de-samba', 'fado-ao-entardecer', 'himalaya-jazz-weekend'] },
];

export const homeCover = { title: 'O verão começa aqui', target: '/festivals' };

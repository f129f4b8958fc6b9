export const featured = ['festival-aurora', 'noite-de-samba', 'final-do-campeonato'];

export const homeSections = [
  { title: 'Esta semana', links: ['riso-solto', 'noite-do-improviso', 'hamlet-rio', 'o-menino-e-o-vento'] },
  { title: 'Música', links: ['noite-de-samba', 'fado-ao-entardecer', 'himalaya-jazz-weekend', 'festival-aurora'] },
  { title: 'Para sair de casa', links: ['mesa-mineira', 'corrida-da-lagoa', 'final-do-campeonato'] },
  { title: 'Para aprender', links: ['conferencia-software-livre', 'porto-design-days'] },
];

export const homeCover = { title: 'O verão começa aqui', target: '/festivals' };

import type { TeamMessages } from './team.en.ts';

export const messages: TeamMessages = {
  title: 'Equipe',
  about: 'As pessoas que trabalham neste evento. Donos e gerentes de {producer} também podem fazer tudo aqui.',
  add: 'Adicionar uma pessoa',
  columns: { name: 'Pessoa', role: 'Função', actions: 'Mudar' },
  invited: 'Convidada',
  you: 'você',
  change: 'Mudar a função',
  remove: 'Remover',
  none: {
    title: 'Ainda não há ninguém na equipe',
    text: 'Adicione quem vende, reembolsa ou confere ingressos neste evento. Cada pessoa vê só o que a função precisa.',
  },
  dialog: {
    add: 'Adicionar uma pessoa à equipe',
    email: 'E-mail',
    emailHint: 'A pessoa recebe um e-mail. Se não tem conta, ele traz um link para escolher uma senha.',
    name: 'Nome',
    role: 'Função',
    noRole: 'Escolha o que a pessoa vai fazer.',
    submitAdd: 'Adicionar à equipe',
    added: '{name} está na equipe e recebe um e-mail.',
    change: 'Função de {name}',
    submitChange: 'Mudar a função',
    changed: '{name} agora é: {role}.',
  },
  removing: {
    title: 'Remover {name} da equipe?',
    text: '{name} perde o acesso a este evento na hora. Pedidos, notas e leituras que {name} fez permanecem.',
    action: 'Remover {name}',
    done: '{name} não está mais na equipe.',
  },
  rolesTitle: 'O que cada função pode fazer',
  roles: {
    admin: { name: 'Administração do evento', text: 'Tudo neste evento: ingressos, pedidos, reembolsos, portaria, relatórios e a equipe.' },
    sales_manager: {
      name: 'Gerência de vendas',
      text: 'Altera ingressos e códigos de acesso, vende, reembolsa e vê todos os relatórios. Não altera o evento nem a equipe, e não lê ingressos.',
    },
    sales_operator: { name: 'Venda na bilheteria', text: 'Vende na bilheteria e consulta pedidos. Não reembolsa.' },
    entrance_manager: {
      name: 'Gerência da portaria',
      text: 'Lê ingressos, procura convidados, vê todas as leituras e adiciona aparelhos. Não vê pedidos nem dinheiro.',
    },
    entrance_operator: {
      name: 'Controle de entrada',
      text: 'Lê ingressos e vê a lista de convidados. Nada mais. Um celular pareado em Portaria não precisa de conta.',
    },
  },
};

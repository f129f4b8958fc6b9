import type { CrewRole } from '../kernel/access.ts';

/** The published password of all demo accounts. A public demo has random passwords instead. */
export const demoPassword = 'tessera-demo';

export interface DemoPerson {
  email: string;
  name: string;
  /** The role that this account demonstrates. */
  shows: string;
  admin?: true;
}

export const people = {
  admin: { email: 'admin@demo.test', name: 'Alice Admin', shows: 'platform admin', admin: true },
  producer: { email: 'producer@demo.test', name: 'Paula Produtora', shows: 'owner of Aurora Produções' },
  manager: { email: 'manager@demo.test', name: 'Marcos Lima', shows: 'manager of Aurora Produções' },
  crewAdmin: { email: 'crew@demo.test', name: 'Clara Nunes', shows: 'event admin in the crew' },
  sales: { email: 'sales@demo.test', name: 'Sofia Vendas', shows: 'sales manager in the crew' },
  boxOffice: { email: 'boxoffice@demo.test', name: 'Beto Bilheteria', shows: 'sales operator in the crew' },
  doorManager: { email: 'gate@demo.test', name: 'Gabriela Portão', shows: 'entrance manager in the crew' },
  door: { email: 'door@demo.test', name: 'Diego Porta', shows: 'entrance operator in the crew' },
  other: { email: 'other@demo.test', name: 'Olivia Other', shows: 'owner of Maré Eventos, the second producer' },
} as const satisfies Record<string, DemoPerson>;

/** The logins that `tessera serve` prints at the start. */
export const printedPeople: DemoPerson[] = [people.admin, people.producer, people.sales, people.door, people.other];

/** One person for each crew role. */
export const fullCrew: [keyof typeof people, CrewRole][] = [
  ['crewAdmin', 'admin'],
  ['sales', 'sales_manager'],
  ['boxOffice', 'sales_operator'],
  ['doorManager', 'entrance_manager'],
  ['door', 'entrance_operator'],
];

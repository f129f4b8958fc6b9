import type { TeamMessages } from './team.en.ts';

export const messages: TeamMessages = {
  title: 'Equipo',
  about: 'Las personas que trabajan en este evento. Los dueños y gerentes de {producer} también pueden hacer todo aquí.',
  add: 'Añadir a una persona',
  columns: { name: 'Persona', role: 'Función', actions: 'Cambiar' },
  invited: 'Invitada',
  you: 'tú',
  change: 'Cambiar la función',
  remove: 'Quitar',
  none: {
    title: 'Todavía no hay nadie en el equipo',
    text: 'Añade a quienes venden, reembolsan o revisan entradas en este evento. Cada persona ve solo lo que su función necesita.',
  },
  dialog: {
    add: 'Añadir a una persona al equipo',
    email: 'Correo',
    emailHint: 'La persona recibe un correo. Si no tiene cuenta, trae un enlace para elegir una contraseña.',
    name: 'Nombre',
    role: 'Función',
    noRole: 'Elige qué hará la persona.',
    submitAdd: 'Añadir al equipo',
    added: '{name} está en el equipo y recibe un correo.',
    change: 'Función de {name}',
    submitChange: 'Cambiar la función',
    changed: '{name} ahora es: {role}.',
  },
  removing: {
    title: '¿Quitar a {name} del equipo?',
    text: '{name} pierde el acceso a este evento al instante. Los pedidos, las notas y las lecturas que hizo {name} quedan.',
    action: 'Quitar a {name}',
    done: '{name} ya no está en el equipo.',
  },
  rolesTitle: 'Qué puede hacer cada función',
  roles: {
    admin: { name: 'Administración del evento', text: 'Todo en este evento: entradas, pedidos, reembolsos, puerta, informes y el equipo.' },
    sales_manager: {
      name: 'Gerencia de ventas',
      text: 'Cambia entradas y códigos de acceso, vende, reembolsa y ve todos los informes. No cambia el evento ni el equipo, y no escanea.',
    },
    sales_operator: { name: 'Venta en taquilla', text: 'Vende en la taquilla y consulta pedidos. No reembolsa.' },
    entrance_manager: {
      name: 'Gerencia de la puerta',
      text: 'Escanea entradas, busca invitados, ve todas las lecturas y añade aparatos. No ve pedidos ni dinero.',
    },
    entrance_operator: {
      name: 'Control de entrada',
      text: 'Escanea entradas y ve la lista de invitados. Nada más. Un teléfono que enlaces en Puerta no necesita cuenta.',
    },
  },
};

import type { Locale } from '../kernel/locale.ts';
import { safeGreetingName } from '../platform/mail/format.ts';
import type { Letter } from '../platform/mail/letter.ts';
import type { MailPayloads } from '../platform/mail/outbox.ts';

interface Texts {
  invited(to: string): string;
  byProducer(inviter: string | null, to: string): string;
  byEvent(inviter: string | null, to: string): string;
  choosePassword: string;
  accept: string;
  validWeek: string;
  logIn: string;
  open: string;
  ignore: string;
  resetSubject: string;
  resetIntro: string;
  resetButton: string;
  validHour: string;
  resetIgnore: string;
  footer: string;
}

const textsByLocale: Record<Locale, Texts> = {
  'pt-BR': {
    invited: (to) => `Você agora faz parte da equipe: ${to}`,
    byProducer: (inviter, to) => `${inviter ?? 'Um administrador'} adicionou você ao produtor ${to}.`,
    byEvent: (inviter, to) => `${inviter ?? 'Um administrador'} adicionou você à equipe do evento ${to}.`,
    choosePassword: 'Para começar, escolha uma senha.',
    accept: 'Escolher a senha',
    validWeek: 'O link vale por 7 dias e funciona uma vez.',
    logIn: 'Entre com a sua senha para ver o evento ou produtor.',
    open: 'Abrir o painel',
    ignore: 'Se você não conhece quem enviou o convite, ignore esta mensagem.',
    resetSubject: 'Escolha uma nova senha',
    resetIntro: 'Alguém pediu uma nova senha para a conta deste endereço.',
    resetButton: 'Escolher uma nova senha',
    validHour: 'O link vale por 1 hora e funciona uma vez. A nova senha encerra todas as suas sessões.',
    resetIgnore: 'Se não foi você, ignore esta mensagem. A sua senha continua a mesma.',
    footer: 'Mensagem automática sobre a sua conta.',
  },
  en: {
    invited: (to) => `You are now on the team: ${to}`,
    byProducer: (inviter, to) => `${inviter ?? 'An admin'} added you to the producer ${to}.`,
    byEvent: (inviter, to) => `${inviter ?? 'An admin'} added you to the crew of the event ${to}.`,
    choosePassword: 'Choose a password to get started.',
    accept: 'Choose a password',
    validWeek: 'The link is valid for 7 days and works once.',
    logIn: 'Log in with your password to see the event or producer.',
    open: 'Open the console',
    ignore: 'If you do not know who sent the invitation, ignore this message.',
    resetSubject: 'Choose a new password',
    resetIntro: 'Somebody asked for a new password for the account of this address.',
    resetButton: 'Choose a new password',
    validHour: 'The link is valid for 1 hour and works once. The new password ends all your sessions.',
    resetIgnore: 'If it was not you, ignore this message. Your password stays the same.',
    footer: 'This message about your account was sent automatically.',
  },
  es: {
    invited: (to) => `Ahora forma parte del equipo: ${to}`,
    byProducer: (inviter, to) => `${inviter ?? 'Un administrador'} le agregó al productor ${to}.`,
    byEvent: (inviter, to) => `${inviter ?? 'Un administrador'} le agregó al equipo del evento ${to}.`,
    choosePassword: 'Para empezar, elija una contraseña.',
    accept: 'Elegir la contraseña',
    validWeek: 'El enlace es válido por 7 días y funciona una vez.',
    logIn: 'Inicie sesión con su contraseña para ver el evento o productor.',
    open: 'Abrir el panel',
    ignore: 'Si no conoce a quien envió la invitación, ignore este mensaje.',
    resetSubject: 'Elija una nueva contraseña',
    resetIntro: 'Alguien pidió una nueva contraseña para la cuenta de esta dirección.',
    resetButton: 'Elegir una nueva contraseña',
    validHour: 'El enlace es válido por 1 hora y funciona una vez. La nueva contraseña cierra todas sus sesiones.',
    resetIgnore: 'Si no fue usted, ignore este mensaje. Su contraseña sigue siendo la misma.',
    footer: 'Mensaje automático sobre su cuenta.',
  },
};

/** Users choose their names, so a name that could contain a link is not shown to people who do not know the user. */
export function invitationLetter(
  locale: Locale,
  { to, isEvent, inviter }: MailPayloads['invitation'],
  { link, isNew }: { link: string; isNew: boolean },
): Letter {
  const texts = textsByLocale[locale];
  const by = isEvent ? texts.byEvent : texts.byProducer;
  return {
    locale,
    subject: texts.invited(to),
    blocks: [
      { heading: texts.invited(to) },
      { paragraph: by(safeGreetingName(inviter), to) },
      { paragraph: isNew ? texts.choosePassword : texts.logIn },
      { button: { label: isNew ? texts.accept : texts.open, href: link } },
      ...(isNew ? [{ paragraph: texts.validWeek }] : []),
      { paragraph: texts.ignore },
    ],
    footer: texts.footer,
  };
}

export function passwordResetLetter(locale: Locale, link: string): Letter {
  const texts = textsByLocale[locale];
  return {
    locale,
    subject: texts.resetSubject,
    blocks: [
      { heading: texts.resetSubject },
      { paragraph: texts.resetIntro },
      { button: { label: texts.resetButton, href: link } },
      { paragraph: texts.validHour },
      { paragraph: texts.resetIgnore },
    ],
    footer: texts.footer,
  };
}

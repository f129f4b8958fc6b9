import type { Locale } from '../../src/kernel/locale.ts';
import type { Widened } from './catalogues.ts';
import type { enDoor } from './door.en.ts';

/** The keys come from the English catalogue. A catalogue that lacks a key, or has another one, does not compile. */
export type DoorMessages = Widened<typeof enDoor>;

/** Each language is a file of its own, and the app loads one of them. */
const catalogues: Record<Locale, () => Promise<DoorMessages>> = {
  'pt-BR': async () => (await import('./door.pt-BR.ts')).ptBRDoor,
  en: async () => (await import('./door.en.ts')).enDoor,
  es: async () => (await import('./door.es.ts')).esDoor,
};

export const doorMessagesOf = (locale: Locale): Promise<DoorMessages> => catalogues[locale]();

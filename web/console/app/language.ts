import { type Locale, localeOfHeader } from '../../../src/kernel/locale.ts';
import type { FrameMessages } from '../../messages/console/frame.en.ts';

const key = 'tessera-console-locale';

const catalogues: Record<Locale, () => Promise<{ messages: FrameMessages }>> = {
  'pt-BR': () => import('../../messages/console/frame.pt-BR.ts'),
  en: () => import('../../messages/console/frame.en.ts'),
  es: () => import('../../messages/console/frame.es.ts'),
};

export const frameMessagesOf = async (locale: Locale): Promise<FrameMessages> => (await catalogues[locale]()).messages;

/** The language that the reader has chosen in this browser, otherwise that of the browser. */
export const preferredLocale = (): Locale => localeOfHeader(localStorage.getItem(key) ?? navigator.languages.join(',')) ?? 'en';

export const storeLocale = (locale: Locale): void => localStorage.setItem(key, locale);

import type { Locale } from '../../src/kernel/locale.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { ptBR } from './pt-BR.ts';

export type Widened<T> = { readonly [K in keyof T]: T[K] extends string ? string : Widened<T[K]> };

/** The keys come from the English catalogue. A catalogue that lacks a key, or has another one, does not compile. */
export type Messages = Widened<typeof en>;

const catalogues: Record<Locale, Messages> = { 'pt-BR': ptBR, en, es };

export const messagesOf = (locale: Locale): Messages => catalogues[locale];

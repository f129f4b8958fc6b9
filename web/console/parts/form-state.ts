import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** What a control holds: the text as it was typed, or whether it is checked. */
export type Raw = string | boolean;
export type Raws = Readonly<Record<string, Raw>>;

/** How a field turns its value into what the control holds, and back. */
export interface FieldKind {
  label: string;
  format: (value: unknown) => Raw;
  /** Throws an `InvalidField` with the message to show. */
  parse: (raw: Raw) => unknown;
  /** The value in words, for the comparison of two versions. By default what the control holds. */
  describe?: (raw: Raw) => string;
}

export class InvalidField extends Error {}

/** `submit` throws it if it sees that somebody has changed what the form shows. A 412 of the API means the same. */
export class StaleVersion extends Error {}

export interface FormContext {
  id: string;
  initial: Readonly<Record<string, unknown>>;
  /** What the reader has changed, by the name of the field. */
  edits: Raws;
  errors: Readonly<Record<string, string>>;
  /** The fields that are shown now, by their names. */
  kinds: Map<string, FieldKind>;
  set(name: string, raw: Raw): void;
}

export const FormValue = createContext<FormContext | null>(null);

export function useForm(): FormContext {
  const form = useContext(FormValue);
  if (!form) throw new Error('A field is outside of a form');
  return form;
}

export const rawOf = ({ edits, initial }: Pick<FormContext, 'edits' | 'initial'>, name: string, kind: FieldKind): Raw =>
  edits[name] ?? kind.format(initial[name]);

const keyOf = (draft: string): string => `tessera-draft ${draft}`;

/** What was typed and not saved yet. It survives a reload and the end of the session, until the tab is closed. */
export function readDraft(draft: string | undefined): Raws {
  try {
    return (JSON.parse((draft && sessionStorage.getItem(keyOf(draft))) || '{}') as Raws) ?? {};
  } catch {
    return {};
  }
}

export function writeDraft(draft: string | undefined, edits: Raws): void {
  if (draft === undefined) return;
  if (Object.keys(edits).length === 0) sessionStorage.removeItem(keyOf(draft));
  else sessionStorage.setItem(keyOf(draft), JSON.stringify(edits));
}

/** Safe markup. It can only be built with the `html` template tag, which escapes all text. */
class Html {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

export type { Html };

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

type Part = Html | readonly Html[] | string;

const sourceOf = (part: Part): string => {
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
  return part instanceof Html ? part.source : part.map(sourceOf).join('');
};

/** A template tag. Interpolated strings are escaped; interpolated `Html` is inserted unchanged. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((source, string, i) => source + sourceOf(parts[i - 1] ?? '') + string));

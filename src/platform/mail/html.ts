/** Markup that was made here. Text becomes one only through `html`, which escapes it. */
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
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
  return part instanceof Html ? part.source : part.map(sourceOf).join('');
};

/** What stands between the braces is text and is escaped, unless it is markup that was made the same way. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((source, string, i) => source + sourceOf(parts[i - 1] ?? '') + string));

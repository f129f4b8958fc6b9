/** Paragraphs and line breaks can be edited as plain text. Descriptions with other markup are edited as HTML. */
export const isPlain = (html: string): boolean => !/<(?!\/?p>|br\s*\/?>)/i.test(html);

const entities: readonly [entity: string, letter: string][] = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&amp;', '&'],
];

/** The text of plain HTML: an empty line between paragraphs. */
export function textOf(html: string): string {
  const text = html
    .replaceAll(/\s*<\/p>\s*<p>\s*/gi, '\n\n')
    .replaceAll(/<br\s*\/?>\s*/gi, '\n')
    .replaceAll(/<\/?p>/gi, '');
  return entities.reduce((decoded, [entity, letter]) => decoded.replaceAll(entity, letter), text).trim();
}

export function htmlOf(text: string): string {
  const escaped = entities.toReversed().reduce((encoded, [entity, letter]) => encoded.replaceAll(letter, entity), text.trim());
  const paragraphs = escaped.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  return paragraphs.map((paragraph) => `<p>${paragraph.trim().replaceAll('\n', '<br />')}</p>`).join('\n');
}

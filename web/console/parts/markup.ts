/**
 * The few marks that a description can have, as people type them in messages: `**bold**`, `*italic*`, `[text](https://…)`, `## heading`, `- item`
 * and `1. item`. A backslash before a mark makes it a letter.
 */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'bold' | 'italic'; children: Inline[] }
  | { kind: 'link'; href: string; children: Inline[] };

export type Block =
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'heading'; level: 2 | 3 | 4; children: Inline[] }
  | { kind: 'list'; isOrdered: boolean; items: Inline[][] };

const item = /^(?:[-*]|(\d{1,3})\.)\s+(.*)$/;

export function parseMarkup(text: string): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const line of text.split('\n').map((each) => each.trim())) {
    const last = blocks.at(-1);
    const heading = /^(#{1,3})\s+(.+)$/.exec(line);
    const listed = item.exec(line);
    if (line === '') isOpen = false;
    else if (heading) {
      blocks.push({ kind: 'heading', level: ((heading[1]?.length ?? 1) + 1) as 2 | 3 | 4, children: parseInline(heading[2] ?? '') });
      isOpen = false;
    } else if (listed) {
      const isOrdered = listed[1] !== undefined;
      const content = parseInline(listed[2] ?? '');
      if (isOpen && last?.kind === 'list' && last.isOrdered === isOrdered) last.items.push(content);
      else blocks.push({ kind: 'list', isOrdered, items: [content] });
      isOpen = true;
    } else if (isOpen && last?.kind === 'paragraph') last.children.push({ kind: 'break' }, ...parseInline(line));
    else {
      blocks.push({ kind: 'paragraph', children: parseInline(line) });
      isOpen = true;
    }
  }
  return blocks;
}

/** An escaped letter, bold, italic, or a link. A mark with a space inside of it is a letter, as in `3 * 4 * 5`. */
const marks =
  /\\([\\*[\]#.-])|\*\*(?=\S)((?:\\.|[^\\])*?[^\s\\])\*\*(?!\*)|\*(?=[^\s*])((?:\\.|[^\\*])*?[^\s\\*])\*|\[((?:\\.|[^\\\]])+)\]\(((?:https?:\/\/|mailto:)[^\s()]+)\)/g;

function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  const add = (letters: string) => {
    const last = parts.at(-1);
    if (last?.kind === 'text') last.text += letters;
    else if (letters !== '') parts.push({ kind: 'text', text: letters });
  };
  let end = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, escaped, bold, italic, label, href] = match;
    add(text.slice(end, match.index));
    end = match.index + whole.length;
    if (escaped !== undefined) add(escaped);
    else if (bold !== undefined) parts.push({ kind: 'bold', children: parseInline(bold) });
    else if (italic !== undefined) parts.push({ kind: 'italic', children: parseInline(italic) });
    else if (label !== undefined && href !== undefined) parts.push({ kind: 'link', href, children: parseInline(label) });
  }
  add(text.slice(end));
  return parts;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function inlineHtml(parts: readonly Inline[]): string {
  const htmlOfPart = (part: Inline): string => {
    if (part.kind === 'text') return escape(part.text);
    if (part.kind === 'break') return '<br />';
    const content = inlineHtml(part.children);
    if (part.kind === 'link') return `<a href="${escape(part.href)}">${content}</a>`;
    return part.kind === 'bold' ? `<strong>${content}</strong>` : `<em>${content}</em>`;
  };
  return parts.map(htmlOfPart).join('');
}

/** HTML that the service stores as it is. */
export function htmlOf(blocks: readonly Block[]): string {
  const htmlOfBlock = (block: Block): string => {
    if (block.kind === 'paragraph') return `<p>${inlineHtml(block.children)}</p>`;
    if (block.kind === 'heading') return `<h${block.level}>${inlineHtml(block.children)}</h${block.level}>`;
    const tag = block.isOrdered ? 'ol' : 'ul';
    return `<${tag}>${block.items.map((content) => `<li>${inlineHtml(content)}</li>`).join('')}</${tag}>`;
  };
  return blocks.map(htmlOfBlock).join('\n');
}

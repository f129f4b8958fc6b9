import { type Block, type Inline, parseMarkup } from './markup.ts';

/** Returns the marks for HTML that the service has sanitised. Returns null if it has something for which there is no mark, such as a picture. */
export function markupOf(html: string): string | null {
  const blocks = readHtml(html);
  if (!blocks) return null;
  const text = blocks.map(blockText).join('\n\n');
  // What cannot be written and read again is edited as HTML, so that no text changes by itself.
  return JSON.stringify(parseMarkup(text)) === JSON.stringify(blocks) ? text : null;
}

const letters: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };
const decode = (text: string): string => text.replaceAll(/&(amp|lt|gt|quot);/g, (entity) => letters[entity] ?? entity);

const headings: Partial<Record<string, 2 | 3 | 4>> = { h2: 2, h3: 3, h4: 4 };
const spans: Partial<Record<string, 'bold' | 'italic'>> = { b: 'bold', strong: 'bold', i: 'italic', em: 'italic' };

function readHtml(html: string): Block[] | null {
  const blocks: Block[] = [];
  /** The open elements of the current block, the innermost last. */
  let open: { tag: string; children: Inline[] }[] = [];
  let list: Extract<Block, { kind: 'list' }> | null = null;
  const start = (tag: string, children: Inline[]) => {
    open = [{ tag, children }];
  };
  const paragraph = () => {
    const children: Inline[] = [];
    blocks.push({ kind: 'paragraph', children });
    start('', children);
  };
  for (const [token, slash, name = '', attributes = ''] of html.matchAll(/<(\/?)([a-z0-9]+)((?:\s[^>]*)?)>|[^<]+/gi)) {
    const tag = name.toLowerCase();
    const here = open.at(-1);
    if (name === '') {
      const text = decode(token).replaceAll(/\s+/g, ' ');
      if (open.length === 0 && text.trim() === '') continue;
      if (open.length === 0 && list) return null;
      if (open.length === 0) paragraph();
      addText(open.at(-1)?.children ?? [], text);
    } else if (tag === 'br') {
      if (!here || list) return null;
      here.children.push({ kind: 'break' });
    } else if (slash === '/') {
      if (tag === 'ul' || tag === 'ol') list = null;
      else if (here?.tag !== tag) return null;
      else open.pop();
    } else if (tag === 'ul' || tag === 'ol') {
      if (list || open.some((element) => element.tag !== '')) return null;
      open = [];
      list = { kind: 'list', isOrdered: tag === 'ol', items: [] };
      blocks.push(list);
    } else if (tag === 'li' || tag === 'p' || headings[tag] !== undefined) {
      // Blocks inside of other blocks have no mark.
      if (attributes.trim() !== '' || open.some((element) => element.tag !== '') || (tag === 'li') !== (list !== null)) return null;
      const children: Inline[] = [];
      const level = headings[tag];
      if (list) list.items.push(children);
      else blocks.push(level === undefined ? { kind: 'paragraph', children } : { kind: 'heading', level, children });
      start(tag, children);
    } else {
      const href = /^\s+href="([^"]*)"\s*$/.exec(attributes)?.[1];
      const span = attributes.trim() === '' ? spans[tag] : undefined;
      if (span === undefined && (tag !== 'a' || href === undefined)) return null;
      if (open.length === 0) paragraph();
      const children: Inline[] = [];
      open.at(-1)?.children.push(span === undefined ? { kind: 'link', href: decode(href ?? ''), children } : { kind: span, children });
      open.push({ tag, children });
    }
  }
  return open.some(({ tag }) => tag !== '') || list
    ? null
    : blocks.map(trimmed).filter(({ kind, ...block }) => kind === 'list' || hasContent(block));
}

const hasContent = (block: object): boolean => 'children' in block && (block.children as Inline[]).length > 0;

function addText(children: Inline[], text: string): void {
  const last = children.at(-1);
  if (last?.kind === 'text') last.text += text;
  else children.push({ kind: 'text', text });
}

/** Without the spaces at the ends of lines, which HTML does not show. */
function trimmed(block: Block): Block {
  const trim = (parts: readonly Inline[]): Inline[] =>
    parts
      .map((part, index): Inline => {
        if (part.kind !== 'text') return part;
        const isFirst = index === 0 || parts[index - 1]?.kind === 'break';
        const isLast = index === parts.length - 1 || parts[index + 1]?.kind === 'break';
        const text = isFirst ? part.text.trimStart() : part.text;
        return { kind: 'text', text: isLast ? text.trimEnd() : text };
      })
      .filter((part) => part.kind !== 'text' || part.text !== '');
  return block.kind === 'list' ? { ...block, items: block.items.map(trim) } : { ...block, children: trim(block.children) };
}

function blockText(block: Block): string {
  if (block.kind === 'list')
    return block.items.map((item, index) => `${block.isOrdered ? `${index + 1}.` : '-'} ${inlineText(item)}`).join('\n');
  const text = inlineText(block.children);
  if (block.kind === 'heading') return `${'#'.repeat(block.level - 1)} ${text}`;
  // A line that begins like a heading or like an item of a list.
  return text
    .split('\n')
    .map((line) => line.replace(/^(#+\s|-\s)/, '\\$1').replace(/^(\d+)\.(\s)/, '$1\\.$2'))
    .join('\n');
}

function inlineText(parts: readonly Inline[]): string {
  const textOfPart = (part: Inline): string => {
    if (part.kind === 'text') return part.text.replaceAll(/[\\*[\]]/g, String.raw`\$&`);
    if (part.kind === 'break') return '\n';
    const content = inlineText(part.children);
    if (part.kind === 'link') return `[${content}](${part.href})`;
    return part.kind === 'bold' ? `**${content}**` : `*${content}*`;
  };
  return parts.map(textOfPart).join('');
}

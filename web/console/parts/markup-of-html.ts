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

/** Blocks inside of other blocks have no mark. The end of an inner block is then taken for that of the outer one, and a tag is left over. */
function readHtml(html: string): Block[] | null {
  const blocks: (Block | null)[] = [];
  const rest = html.replaceAll(/<(p|h[234]|ul|ol)>([^]*?)<\/\1>/g, (_block, tag: string, content: string) => {
    blocks.push(readBlock(tag, content));
    return '';
  });
  if (rest.trim() !== '') blocks.push(blocks.length === 0 ? readBlock('p', rest) : null);
  return blocks.includes(null) ? null : (blocks as Block[]).filter((block) => block.kind === 'list' || block.children.length > 0);
}

function readBlock(tag: string, content: string): Block | null {
  if (tag === 'ul' || tag === 'ol') {
    const items: (Inline[] | null)[] = [];
    const rest = content.replaceAll(/<li>([^]*?)<\/li>/g, (_item, text: string) => {
      items.push(readLines(text));
      return '';
    });
    return rest.trim() !== '' || items.includes(null) ? null : { kind: 'list', isOrdered: tag === 'ol', items: items as Inline[][] };
  }
  const children = readLines(content);
  if (!children) return null;
  return tag === 'p' ? { kind: 'paragraph', children } : { kind: 'heading', level: Number(tag.slice(1)) as 2 | 3 | 4, children };
}

/** HTML does not show spaces at the ends of lines. */
function readLines(html: string): Inline[] | null {
  const lines = html.split(/<br \/>/).map((line) => readInline(line.trim()));
  if (lines.includes(null)) return null;
  return (lines as Inline[][]).flatMap((line, index): Inline[] => (index === 0 ? line : [{ kind: 'break' }, ...line]));
}

function readInline(html: string): Inline[] | null {
  const parts: Inline[] = [];
  for (const match of html.matchAll(/<(strong|b|em|i)>([^]*?)<\/\1>|<a href="([^"]*)">([^]*?)<\/a>|[^<]+|</g)) {
    const [token, tag, content = '', href, label = ''] = match;
    const isText = tag === undefined && href === undefined;
    const children = isText ? [] : readInline(tag === undefined ? label : content);
    if (token === '<' || !children) return null;
    if (isText) parts.push({ kind: 'text', text: decode(token).replaceAll(/\s+/g, ' ') });
    else if (href !== undefined) parts.push({ kind: 'link', href: decode(href), children });
    else parts.push({ kind: tag === 'strong' || tag === 'b' ? 'bold' : 'italic', children });
  }
  return parts;
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

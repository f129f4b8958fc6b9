import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useConsole } from '../app/console.ts';
import { useField } from './fields.tsx';
import { type Block, type Inline, parseMarkup } from './markup.ts';

/** The texts of the area that shows the field. */
interface MarkupTexts extends Record<Tool, string> {
  tools: string;
  linkText: string;
  preview: string;
  hint: string;
}

interface MarkupAreaProps {
  texts: MarkupTexts;
  name: string;
  label: string;
  rows?: number;
  maxLength?: number;
}

// Only this field has these icons. In web/ui/icons.ts every screen would load them.
const linkIcon = 'M10 13a5 5 0 0 0 7.54.54l3-3a5 5 0 0 0-7.07-7.07l-1.72 1.71M14 11a5 5 0 0 0-7.54-.54l-3 3a5 5 0 0 0 7.07 7.07l1.71-1.71';
const listIcon = 'M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01';

const tools = ['bold', 'italic', 'heading', 'list', 'link'] as const;
type Tool = (typeof tools)[number];

const keys: Partial<Record<string, Tool>> = { b: 'bold', i: 'italic' };
/** How the buttons look. Their names are in the texts. */
const faces: Record<Tool, ComponentChildren> = {
  bold: <b>B</b>,
  italic: <i>I</i>,
  heading: <b>H</b>,
  list: <Icon path={listIcon} size={18} />,
  link: <Icon path={linkIcon} size={18} />,
};

/** A text with a few marks, with buttons that write them and a preview. Its value is the text with the marks, or null if it is empty. */
export function MarkupArea({ texts: t, name, label, rows = 8, maxLength }: MarkupAreaProps) {
  const { optional } = useConsole().t;
  const area = useRef<HTMLTextAreaElement>(null);
  const { id, raw, error, set } = useField(name, {
    label,
    format: (value) => (value as string | null | undefined) ?? '',
    parse: (text) => String(text).trim() || null,
  });
  const apply = (tool: Tool) => {
    if (!area.current) return;
    write(area.current, tool, t.linkText);
    set(area.current.value);
  };
  const pressed = (event: KeyboardEvent) => {
    const tool = event.ctrlKey || event.metaKey ? keys[event.key.toLowerCase()] : undefined;
    if (!tool) return;
    event.preventDefault();
    apply(tool);
  };
  const blocks = parseMarkup(String(raw));
  return (
    <div class="stack">
      <Field id={id} label={`${label} ${optional}`} error={error} hint={t.hint}>
        {(attributes) => (
          <>
            <div class="chips" role="group" aria-label={t.tools}>
              {tools.map((tool) => (
                <button
                  key={tool}
                  type="button"
                  class="button plain"
                  aria-label={t[tool]}
                  title={t[tool]}
                  aria-controls={id}
                  onClick={() => apply(tool)}
                >
                  {faces[tool]}
                </button>
              ))}
            </div>
            <textarea
              {...attributes}
              ref={area}
              class="input"
              name={name}
              rows={rows}
              {...(maxLength && { maxLength })}
              value={String(raw)}
              onInput={(event) => set(event.currentTarget.value)}
              onKeyDown={pressed}
            />
          </>
        )}
      </Field>
      {blocks.length > 0 && (
        <details class="panel markup-preview" open>
          <summary>{t.preview}</summary>
          <div class="stack">{blocks.map(blockView)}</div>
        </details>
      )}
    </div>
  );
}

/** Writes the marks around the selection, or before each of its lines. The text stays selected, so that another mark can be added. */
function write(area: HTMLTextAreaElement, tool: Tool, linkText: string): void {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const chosen = value.slice(start, end);
  area.focus();
  if (tool === 'heading' || tool === 'list') {
    const first = value.lastIndexOf('\n', start - 1) + 1;
    const mark = tool === 'list' ? '- ' : '## ';
    const lines = value.slice(first, end).split('\n');
    const isMarked = lines.every((line) => line.startsWith(mark));
    const next = lines.map((line) => (isMarked ? line.slice(mark.length) : `${mark}${line}`)).join('\n');
    area.setRangeText(next, first, end, 'end');
    return;
  }
  if (tool === 'link') {
    const text = chosen || linkText;
    const address = 'https://';
    area.setRangeText(`[${text}](${address})`, start, end);
    // The address is typed next.
    const from = start + text.length + 3;
    area.setSelectionRange(from, from + address.length);
    return;
  }
  const mark = tool === 'bold' ? '**' : '*';
  area.setRangeText(`${mark}${chosen}${mark}`, start, end);
  area.setSelectionRange(start + mark.length, end + mark.length);
}

function blockView(block: Block, index: number): JSX.Element {
  if (block.kind === 'paragraph') return <p key={index}>{block.children.map(inlineView)}</p>;
  if (block.kind === 'heading') {
    const Heading = `h${block.level}` as const;
    return <Heading key={index}>{block.children.map(inlineView)}</Heading>;
  }
  const List = block.isOrdered ? 'ol' : 'ul';
  return (
    <List key={index}>
      {block.items.map((item, place) => (
        <li key={place}>{item.map(inlineView)}</li>
      ))}
    </List>
  );
}

function inlineView(part: Inline, index: number): ComponentChildren {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'break') return <br key={index} />;
  const content = part.children.map(inlineView);
  if (part.kind === 'link')
    return (
      <a key={index} href={part.href} target="_blank" rel="noreferrer">
        {content}
      </a>
    );
  return part.kind === 'bold' ? <strong key={index}>{content}</strong> : <em key={index}>{content}</em>;
}

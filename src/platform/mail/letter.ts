import type { Locale } from '../../kernel/locale.ts';
import { type Html, html } from './html.ts';

/** Pictures are attached to the mail, because many mail programs block pictures from the web. */
export interface Picture {
  cid: string;
  fileName: string;
  png: Buffer;
}

export interface TicketBlock {
  title: string;
  detail: string;
  code: string;
  picture: Picture | null;
}

type Fact = readonly [label: string, value: string];

type Block =
  | { heading: string }
  | { paragraph: string }
  | { facts: readonly Fact[] }
  /** What was bought, each with its price. The last one is the total. */
  | { prices: readonly Fact[] }
  | { button: { label: string; href: string } }
  | { ticket: TicketBlock };

/** The content of a mail. Both the text part and the HTML part are generated from it. */
export interface Letter {
  locale: Locale;
  subject: string;
  blocks: readonly Block[];
  footer: string;
}

export interface WrittenLetter {
  subject: string;
  text: string;
  html: string;
  pictures: Picture[];
}

export function writeLetter(letter: Letter): WrittenLetter {
  const { subject, blocks, footer } = letter;
  const pictures = blocks.flatMap((block) => ('ticket' in block && block.ticket.picture ? [block.ticket.picture] : []));
  const text = [...blocks.map(asText), `-- \n${oneLine(footer)}`].join('\n\n');
  return { subject: oneLine(subject), text: `${text}\n`, html: asHtml(letter), pictures };
}

/** Removes line breaks, control characters and text-direction marks. With such characters, a name could look like a line that the service wrote. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();

function asText(block: Block): string {
  if ('heading' in block) return `${oneLine(block.heading)}\n${'='.repeat(Math.min(60, oneLine(block.heading).length))}`;
  if ('paragraph' in block) return oneLine(block.paragraph);
  if ('facts' in block) return factsAsText(block.facts);
  if ('prices' in block) return factsAsText(block.prices);
  if ('button' in block) return `${oneLine(block.button.label)}:\n${oneLine(block.button.href)}`;
  const { title, detail, code } = block.ticket;
  return [title, detail, code].map(oneLine).filter(Boolean).join('\n');
}

const factsAsText = (facts: readonly Fact[]): string => facts.map(([label, value]) => oneLine(`${label}: ${value}`)).join('\n');

/* The colours of web/ui/tokens.css. */
const ink = '#16181d';
const grey = '#565a66';
const line = '#e4e1ec';
const accent = '#5b2be0';
const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

function asHtml({ locale, subject, blocks, footer }: Letter): string {
  const page = html`<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${oneLine(subject)}</title></head>
<body style="margin:0;padding:0;background:#f6f4fb">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;border-top:6px solid ${accent};border-radius:12px">
<tr><td style="padding:28px 24px;${font};font-size:16px;line-height:1.5;color:${ink}">
${blocks.map(blockAsHtml)}
</td></tr></table>
<p style="max-width:600px;margin:16px auto;${font};font-size:13px;line-height:1.5;color:${grey}"><strong style="color:${accent}">Tessera</strong><br>${oneLine(footer)}</p>
</td></tr></table></body></html>
`;
  return page.source;
}

function blockAsHtml(block: Block): Html {
  if ('heading' in block) return html`<h1 style="margin:0 0 16px;font-size:24px;line-height:1.25">${oneLine(block.heading)}</h1>\n`;
  if ('paragraph' in block) return html`<p style="margin:0 0 16px">${oneLine(block.paragraph)}</p>\n`;
  if ('facts' in block) {
    const rows = block.facts.map(
      ([label, value]) =>
        html`<tr><td style="padding:4px 16px 4px 0;color:${grey};vertical-align:top;white-space:nowrap">${oneLine(label)}</td><td style="padding:4px 0;vertical-align:top">${oneLine(value)}</td></tr>\n`,
    );
    return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px;font-size:15px">${rows}</table>\n`;
  }
  if ('prices' in block) return pricesAsHtml(block.prices);
  if ('button' in block) {
    const style = `display:inline-block;padding:12px 24px;border-radius:12px;background:${accent};color:#ffffff;font-weight:700;text-decoration:none`;
    return html`<p style="margin:24px 0"><a href="${oneLine(block.button.href)}" style="${style}">${oneLine(block.button.label)}</a></p>\n`;
  }
  return ticketAsHtml(block.ticket);
}

function pricesAsHtml(prices: readonly Fact[]): Html {
  const rows = prices.map(([label, value], i) => {
    const isTotal = i === prices.length - 1;
    const style = isTotal ? `padding:8px 0 0;border-top:1px dashed ${line};font-weight:700` : 'padding:4px 0';
    return html`<tr><td style="${style};vertical-align:top">${oneLine(label)}</td><td align="right" style="${style};padding-left:16px;vertical-align:top;white-space:nowrap">${oneLine(value)}</td></tr>\n`;
  });
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;font-size:15px">${rows}</table>\n`;
}

/** The picture is centred on white, so that it can be scanned from a screen. */
function ticketAsHtml({ title, detail, code, picture }: TicketBlock): Html {
  const image = picture
    ? html`<img src="cid:${picture.cid}" width="240" height="240" alt="QR" style="display:block;margin:12px auto;max-width:100%">`
    : html``;
  return html`<div style="margin:0 0 16px;padding:16px;border:1px solid ${line};border-radius:12px">
<strong style="font-size:18px">${oneLine(title)}</strong><br><span style="color:${grey}">${oneLine(detail)}</span>${image}
<code style="display:block;font-size:11px;line-height:1.4;color:${grey};word-break:break-all">${oneLine(code)}</code></div>\n`;
}

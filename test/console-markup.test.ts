import { expect, it } from 'vitest';
import { sanitise } from '../src/events/description.ts';
import { htmlOf, parseMarkup } from '../web/console/parts/markup.ts';
import { markupOf } from '../web/console/parts/markup-of-html.ts';

const toHtml = (text: string): string => htmlOf(parseMarkup(text));

it('marks become HTML that the service stores as it is, and the HTML becomes the same marks again', () => {
  const text = [
    '## Line-up',
    'With **Velha Guarda** and *three* guests.\nDoors at 20:00 & “late show”',
    '- [Map](https://example.com/map?a=1&b=2)\n- Bar **and *food***',
    '1. Samba\n2. Choro',
    String.raw`5 * 3 is not \*italic\*, \[nor a link\]`,
    String.raw`\# no heading`,
  ].join('\n\n');
  const html = toHtml(text);
  expect(html).toBe(
    [
      '<h3>Line-up</h3>',
      '<p>With <strong>Velha Guarda</strong> and <em>three</em> guests.<br />Doors at 20:00 &amp; “late show”</p>',
      '<ul><li><a href="https://example.com/map?a=1&amp;b=2">Map</a></li><li>Bar <strong>and <em>food</em></strong></li></ul>',
      '<ol><li>Samba</li><li>Choro</li></ol>',
      '<p>5 * 3 is not *italic*, [nor a link]</p>',
      '<p># no heading</p>',
    ].join('\n'),
  );
  expect(sanitise(html)).toBe(html);
  expect(toHtml(markupOf(html) ?? '')).toBe(html);
});

it('scripts and unsafe addresses are text', () => {
  const text = '<img src=x onerror=alert(1)> [x](javascript:alert(1)) **<b>**';
  expect(toHtml(text)).toBe('<p>&lt;img src=x onerror=alert(1)&gt; [x](javascript:alert(1)) <strong>&lt;b&gt;</strong></p>');
});

it('HTML without a mark for everything in it is not changed', () => {
  for (const html of [
    '<p><img src="https://example.com/a.png" /></p>',
    '<blockquote>a</blockquote>',
    '<p><u>a</u></p>',
    '<ul><li><p>a</p></li></ul>',
  ])
    expect(markupOf(html)).toBeNull();
  expect(markupOf('Text without a paragraph')).toBe('Text without a paragraph');
  expect(markupOf('')).toBe('');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainTextOf, sanitise } from './description.ts';

describe('the description of an event', () => {
  it.each([
    ['<p>Fine <b>text</b></p>', '<p>Fine <b>text</b></p>'],
    ['<script>alert(1)</script>ok', 'ok'],
    ['<img src="https://x.test/a.jpg" onerror="alert(1)">', '<img src="https://x.test/a.jpg" />'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="JaVaScRiPt:alert(1)">x</a>', '<a>x</a>'],
    ['<iframe src="https://x.test"></iframe>', ''],
    ['<p style="position:fixed">x</p>', '<p>x</p>'],
    ['<svg><script>alert(1)</script></svg>', ''],
    ['a < b & c', 'a &lt; b &amp; c'],
  ])('%s becomes %s', (html, safe) => {
    expect(sanitise(html)).toBe(safe);
  });

  it('has a plain text without markup', () => {
    expect(plainTextOf(sanitise('<p>Roda&nbsp;de samba</p><p>até &amp; além</p>'))).toBe('Roda de samba até & além');
  });

  it('does not change when it is sanitised again, and its plain text has no tags, for any input', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '/',
      'a',
      'img',
      'script',
      ' ',
      'href=',
      'onerror=',
      'javascript:',
      '&',
      ';',
      'lt',
      '=',
      '-->',
      '<!--',
    );
    const property = fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const once = sanitise(pieces.join(''));
      expect(sanitise(once)).toBe(once);
      expect(once).not.toMatch(/<script|<[^>]*(onerror|javascript:)/i);
    });
    fc.assert(property, { numRuns: 3_000 });
  });
});

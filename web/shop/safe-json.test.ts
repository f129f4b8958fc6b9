import { expect, it } from 'vitest';
import { safeJson } from './safe-json.ts';

const hostile = { text: '</script><script>alert(1)</script><!--\u2028\u2029&' };

it('escapes everything that could end the script element, and keeps the value', () => {
  const json = safeJson(hostile);
  expect(json).not.toMatch(/[<>&\u2028\u2029]/);
  expect(JSON.parse(json)).toEqual(hostile);
});

it('control: plain JSON contains the end tag', () => {
  expect(JSON.stringify(hostile)).toContain('</script>');
});

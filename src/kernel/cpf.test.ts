import { expect, it } from 'vitest';
import { formatCpf, isCpf } from './cpf.ts';

it.each(['123.456.789-09', '52998224725', '111.444.777-35'])('%s is a CPF', (text) => expect(isCpf(text)).toBe(true));

it.each(['123.456.789-00', '529982247', '11111111111', '', 'abc'])('"%s" is not a CPF', (text) => expect(isCpf(text)).toBe(false));

it('formats a CPF while it is typed', () => {
  expect(['1', '1234', '1234567', '12345678909', '123.456.789-0912'].map(formatCpf)).toEqual([
    '1',
    '123.4',
    '123.456.7',
    '123.456.789-09',
    '123.456.789-09',
  ]);
});

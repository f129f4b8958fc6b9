import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { capabilities, describeApi } from '../src/app.ts';
import { inputChecker, outputChecker } from '../src/http/validation.ts';
import { useWorld } from './harness.ts';

const world = useWorld();
const operations = capabilities.flatMap(({ contract }) => Object.entries(contract));
const text = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

describe('the API reference', () => {
  it('is up to date with the contracts (`npm run openapi` writes it)', () => {
    const committed = readFileSync(fileURLToPath(new URL('../openapi.json', import.meta.url)), 'utf8');
    expect(committed).toBe(text(describeApi()));
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(text(describeApi())) as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect(validator.version).toBe('3.1');
  });

  it('has patterns that mean the same with and without the `u` flag of regular expressions', () => {
    const patterns = [...text(describeApi()).matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(
      (match) => JSON.parse(match[1] ?? '') as string,
    );
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter((pattern) => /\\[pP]\{|\\u\{/.test(pattern))).toEqual([]);
  });

  it('control: an operation without responses is not valid', async () => {
    const broken = JSON.parse(text(describeApi())) as { paths: Record<string, Record<string, { responses?: unknown }>> };
    const operation = Object.values(Object.values(broken.paths)[0] ?? {})[0];
    if (operation) operation.responses = 'none';
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it.each(operations)('%s: the examples match the schemas of request and response', (_name, route) => {
    const { params = {}, query = {}, body, answer } = route.examples;
    const asText = (values: unknown) => Object.fromEntries(Object.entries(values as object).map(([key, value]) => [key, String(value)]));
    expect(() => inputChecker(route)({ params: asText(params), query: asText(query), body })).not.toThrow();
    expect(() => outputChecker(route.answer.body)(answer)).not.toThrow();
    expect(body === undefined).toBe(route.body === undefined);
  });

  it('is also a page of the service, and the page loads nothing from other hosts', async () => {
    const served = await world.call('GET', '/v1/openapi.json');
    expect(served.json()).toEqual(JSON.parse(text(describeApi())));
    const page = await world.app.inject('/docs');
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toMatch(/https?:/);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
    const sources = [...page.body.matchAll(/src="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(sources).toHaveLength(2);
    for (const source of sources) expect((await world.app.inject(source)).headers['content-type']).toContain('text/javascript');
  });
});

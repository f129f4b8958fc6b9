import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { problems } from '../src/kernel/problem.ts';
import { apiVersion } from '../src/payments/providers/stripe/client.ts';
import { eventTypes } from '../src/payments/providers/stripe/notices.ts';
import { brokenLinks, countWords, documentPaths, readDocument } from './documents.ts';
import { type Service } from './process.ts';
import { missingPrograms, runShellBlocks } from './shell-blocks.ts';
import { useDataFolders } from './use-processes.ts';

describe('links', () => {
  it.each(documentPaths())('all relative links of %s lead to a file and a heading', (path) => {
    expect(brokenLinks(path)).toEqual([]);
  });

  it('control: links to a missing file, a missing heading and a file outside of the repository are reported', () => {
    const page = '# Here\n[a](none.md) [b](concepts.md#none) [c](#none) [d](../../secret.md) [e]\n\n[e]: gone.md\n';
    expect(brokenLinks('docs/page.md', page)).toEqual([
      'docs/page.md: none.md: there is no such file',
      'docs/page.md: concepts.md#none: there is no such heading',
      'docs/page.md: #none: there is no such heading',
      'docs/page.md: ../../secret.md: there is no such file',
      'docs/page.md: gone.md: there is no such file',
    ]);
  });

  it('control: valid links are not reported, in each form that GitHub supports', () => {
    const page =
      '# What `GET /tax` says, and why?\n# Twice\n# Twice\n[a](#what-get-tax-says-and-why) [b](#twice-1) [c](concepts.md) `[d](none.md)`\n';
    expect(brokenLinks('docs/page.md', page)).toEqual([]);
  });
});

describe('contents', () => {
  it('README.md has at most 800 words', () => {
    expect(countWords(readDocument('README.md'))).toBeLessThanOrEqual(800);
  });

  it('docs/api-guide.md lists every problem code with its status', () => {
    const rows = [...readDocument('docs/api-guide.md').matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm)].map(
      ([, status, code]) => `${code} ${status}`,
    );
    expect(rows.toSorted()).toEqual(
      Object.entries(problems)
        .map(([code, { status }]) => `${code} ${status}`)
        .toSorted(),
    );
  });

  /** The environment variables that the configuration reads. */
  function settings(): string[] {
    const source = readDocument('src/config.ts');
    const read = [...source.matchAll(/\benv(?:,\s*'|\.)([A-Z][A-Z_]+)|\b(SECRET_KEY\w*): /g)].map(([, name, other = '']) => name ?? other);
    expect(read.length).toBeGreaterThan(35);
    return [...new Set(read)].toSorted();
  }

  it('docs/operations.md lists every environment variable that the configuration reads', () => {
    const rows = [...readDocument('docs/operations.md').matchAll(/^\| `([A-Z][A-Z_]+)` \|/gm)].map(([, name = '']) => name);
    expect(rows.toSorted()).toEqual(settings());
  });

  it('.env.example lists every environment variable that the configuration reads, and sets none', () => {
    const lines = readDocument('.env.example').split('\n');
    const names = lines.flatMap((line) => /^#([A-Z][A-Z_]+)=/.exec(line)?.[1] ?? []);
    expect(names.toSorted()).toEqual(settings());
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });

  it('docs/payments.md has the API version and the event types for the webhook endpoint of Stripe', () => {
    const page = readDocument('docs/payments.md');
    expect([...page.matchAll(/enabled_events\[\]=([\w.]+)/g)].map(([, type = '']) => type)).toEqual(eventTypes);
    expect([...page.matchAll(/api_version=([\w.-]+)/g)].map(([, version = '']) => version)).toEqual([apiVersion]);
  });
});

const missing = missingPrograms(['bash', 'curl']);
if (missing.length > 0)
  console.warn(`SKIPPED: the shell blocks of the documents need ${missing.join(' and ')}, which this machine does not have`);

describe.skipIf(missing.length > 0)('shell blocks', () => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  const folder = useDataFolders(afterAll)();
  let service: Service;
  beforeAll(async () => {
    service = await folder.serve();
  });

  it.each(['README.md', 'docs/tutorial.md'])('all shell blocks of %s run in order and return what the page says', async (path) => {
    await expect(runShellBlocks(readDocument(path), service.origin)).resolves.toBeUndefined();
  });

  const block = (commands: string, note = '') => `${note}\n\`\`\`sh\n${commands}\n\`\`\`\n`;

  it('control: a block that fails is reported with its output', async () => {
    const page = `${block('WORD=first; echo $WORD')}${block('echo $WORD block; ls no-such-file; echo not reached')}${block('echo third')}`;
    const run = runShellBlocks(page, service.origin);
    await expect(run).rejects.toThrow(
      /line 6 ended with [12]:\necho \$WORD block[^]*--- printed:\nfirst block\n\n--- on standard error:\n.*no-such-file/,
    );
  });

  it('control: a request that returns another status than the page says is reported', async () => {
    const request = 'curl -s http://127.0.0.1:3000/v1/event/1/crew';
    await expect(runShellBlocks(block(request), service.origin)).rejects.toThrow('got 401 refusals instead of none');
    await expect(runShellBlocks(block(request, '<!-- returns 404 -->'), service.origin)).rejects.toThrow('got 401 refusals instead of 404');
    await runShellBlocks(block(request, '<!-- returns 401 -->'), service.origin);
  });

  it('control: a response without a field that the page shows is reported', async () => {
    const page = `${block('curl -s http://127.0.0.1:3000/v1/categories')}\n\`\`\`json\n{ "data": [{ "price": 1 }] }\n\`\`\`\n`;
    await expect(runShellBlocks(page, service.origin)).rejects.toThrow('returned no /data/0/price as the page shows');
  });
});

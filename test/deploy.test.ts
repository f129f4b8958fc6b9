import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(path, 'utf8');
const deployFiles = readdirSync('deploy', { recursive: true, encoding: 'utf8' })
  .map((name) => join('deploy', name))
  .filter((path) => /\.(ya?ml|service|conf|cfg)$/.test(path));

const settings = new Set([...read('.env.example').matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name));

/** Names that other programs read. */
const others = /^(NODE_ENV|PATRONI_|MINIO_|TESSERA_DATABASE_PASSWORD$|DATABASE_PASSWORD$|REPLICATION_PASSWORD$)/;

/** The environment variables that a file sets for Tessera. */
function settingsIn(text: string): string[] {
  const uncommented = text.replaceAll(/^\s*#.*$/gm, '');
  const inContainer = [...uncommented.matchAll(/^(?:ENV|\s+)\s*([A-Z][A-Z_]+)(?:=|:\s)/gm)];
  const named = [...uncommented.matchAll(/name: ([A-Z][A-Z_]+), value|[{,] ([A-Z][A-Z_]+): /g)];
  const ofSystemd = [...uncommented.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => [...line.matchAll(/([A-Z][A-Z_]+)=/g)]);
  return [...inContainer, ...named, ...ofSystemd].map((found) => found[1] ?? found[2] ?? '').filter((name) => !others.test(name));
}

describe('files to deploy', () => {
  it.each(['Dockerfile', ...deployFiles])('%s uses only settings that exist', (path) => {
    expect(settingsIn(read(path)).filter((name) => !settings.has(name))).toEqual([]);
  });

  it('the control finds a setting that does not exist, in each kind of file', () => {
    expect(settingsIn('ENV NODE_ENV=production \\\n    PORTS=3000')).toEqual(['PORTS']);
    expect(settingsIn('data:\n  PUBLIC_URI: https://a')).toEqual(['PUBLIC_URI']);
    expect(settingsIn('environment: { <<: *base, SERVES: a }')).toEqual(['SERVES']);
    expect(settingsIn('Environment=NODE_ENV=production DATA_DIRS=/a')).toEqual(['DATA_DIRS']);
  });

  it('the settings of the Dockerfile, compose.yml and Kubernetes are found', () => {
    expect(settingsIn(read('Dockerfile'))).toContain('DRAIN_DELAY');
    expect(settingsIn(read('deploy/compose.yml'))).toContain('SERVE');
    expect(settingsIn(read('deploy/kubernetes/serve.yaml'))).toContain('SERVE');
    expect(settingsIn(read('deploy/kubernetes/settings.yaml'))).toContain('PUBLIC_URL');
  });
});

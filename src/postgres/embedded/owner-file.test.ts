import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimCluster, identityOf, ownerLives, releaseCluster } from './owner-file.ts';

let folder: string;
let cluster: string;
const owner = () => readFileSync(`${cluster}.owner`, 'utf8');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-owner-'));
  cluster = join(folder, 'postgres');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('claimCluster claims a cluster without an owner, and releaseCluster removes the claim', () => {
  expect(claimCluster(cluster)).toBe(true);
  expect([owner(), ownerLives(cluster)]).toEqual([identityOf(process.pid), false]);
  releaseCluster(cluster);
  expect(readdirSync(folder)).toEqual([]);
});

it('claimCluster and releaseCluster leave the claim of another running process unchanged', () => {
  writeFileSync(`${cluster}.owner`, identityOf(process.ppid));
  expect([claimCluster(cluster), ownerLives(cluster)]).toEqual([false, true]);
  releaseCluster(cluster);
  expect(owner()).toBe(identityOf(process.ppid));
  expect(readdirSync(folder)).toEqual(['postgres.owner']);
});

it.each([
  ['a process that has ended', () => '999999999 1'],
  ['a process whose pid now belongs to another one', () => `${process.ppid} 1`],
  ['an unreadable owner file', () => ''],
])('claimCluster replaces the claim of %s', (_, content) => {
  writeFileSync(`${cluster}.owner`, content());
  expect([ownerLives(cluster), claimCluster(cluster)]).toEqual([false, true]);
  expect(owner()).toBe(identityOf(process.pid));
  expect(existsSync(`${cluster}.owner.dead-${process.pid}`)).toBe(false);
});

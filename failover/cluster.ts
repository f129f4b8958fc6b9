import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { eventually } from '../test/eventually.ts';
import { freePorts } from '../test/free-ports.ts';
import type { Programs } from '../test/programs.ts';

const deploy = fileURLToPath(new URL('../deploy', import.meta.url));
const names = ['node1', 'node2', 'node3'] as const;
const password = 'failover';

/** With asynchronous replication a commit is on one server only, so a failover can lose it. This is the control of the proof. */
export type Replication = 'synchronous' | 'asynchronous';

/** A member of the cluster, as Patroni describes it. */
interface Member {
  name: string;
  role: string;
  state: string;
}

interface Node {
  name: string;
  postgres: number;
  api: number;
  folder: string;
  patroni: ChildProcess | null;
}

/** Replaces a text that must be in the file, so that a change of the file in deploy/ is noticed here. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`deploy/ has no text ${pattern}`);
  return text.replaceAll(new RegExp(pattern, 'g'), by);
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Sends a signal to a process that may have ended. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Three PostgreSQL servers with Patroni, etcd and HAProxy, all on this machine, with the files of deploy/. HAProxy leads connections to the
 * primary.
 */
export class Cluster {
  readonly #programs: Programs;
  readonly #replication: Replication;
  readonly #base = mkdtempSync(join(tmpdir(), 'tsr-failover-'));
  readonly #user = unprivileged();
  readonly #helpers: ChildProcess[] = [];
  #nodes: Node[] = [];
  #etcdPort = 0;
  #ports = { primary: 0, standbys: 0 };
  #silent: number[] = [];

  private constructor(programs: Programs, replication: Replication) {
    this.#programs = programs;
    this.#replication = replication;
  }

  static async start(programs: Programs, replication: Replication): Promise<Cluster> {
    const cluster = new Cluster(programs, replication);
    try {
      await cluster.#start();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The ports on which HAProxy leads to the primary and to a standby. */
  get ports(): { primary: number; standbys: number } {
    return this.#ports;
  }

  urlAt(port: number): string {
    return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  }

  async #start(): Promise<void> {
    const [etcd = 0, peer = 0, primary = 0, standbys = 0, ...others] = await freePorts(4 + 2 * names.length);
    this.#etcdPort = etcd;
    this.#ports = { primary, standbys };
    this.#nodes = names.map((name, i) => ({
      name,
      postgres: others[2 * i] as number,
      api: others[2 * i + 1] as number,
      folder: join(this.#base, name),
      patroni: null,
    }));
    this.#writeFiles();
    const at = (port: number) => `http://127.0.0.1:${port}`;
    this.#helper(this.#programs.etcd, [
      `--data-dir=${join(this.#base, 'etcd')}`,
      `--listen-client-urls=${at(etcd)}`,
      `--advertise-client-urls=${at(etcd)}`,
      `--listen-peer-urls=${at(peer)}`,
      `--initial-advertise-peer-urls=${at(peer)}`,
      `--initial-cluster=default=${at(peer)}`,
    ]);
    await eventually('etcd answers', async () => (await fetch(`${at(etcd)}/health`)).ok);
    for (const node of this.#nodes) this.#startNode(node);
    this.#helper(this.#programs.haproxy, ['-f', join(this.#base, 'haproxy.cfg')]);
    await this.healed();
  }

  #writeFiles(): void {
    chmodSync(this.#base, 0o755);
    for (const name of ['start.sh', 'create-database.sh']) copyFileSync(join(deploy, 'patroni', name), join(this.#base, name));
    let patroni = readFileSync(join(deploy, 'patroni/patroni.yml'), 'utf8');
    patroni = replaced(patroni, /\/etc\/tessera/, this.#base);
    patroni = replaced(patroni, /unix_socket_directories: \/tmp/, `unix_socket_directories: ${this.#base}`);
    if (this.#replication === 'asynchronous') patroni = replaced(patroni, /synchronous_mode: true/, 'synchronous_mode: false');
    writeFileSync(join(this.#base, 'patroni.yml'), patroni);
    let haproxy = readFileSync(join(deploy, 'haproxy-postgresql.cfg'), 'utf8');
    haproxy = replaced(haproxy, /bind :5432/, `bind 127.0.0.1:${this.#ports.primary}`);
    haproxy = replaced(haproxy, /bind :5433/, `bind 127.0.0.1:${this.#ports.standbys}`);
    // Only container engines have a name server for the nodes.
    haproxy = replaced(haproxy, / init-addr none resolvers docker/, '');
    haproxy = replaced(haproxy, /resolvers docker\n(?: {2}.*\n)+/, '');
    for (const { name, postgres, api } of this.#nodes)
      haproxy = replaced(haproxy, new RegExp(`${name}:5432 (.*) port 8008`), `127.0.0.1:${postgres} $1 port ${api}`);
    writeFileSync(join(this.#base, 'haproxy.cfg'), haproxy);
    for (const { folder } of this.#nodes) mkdirSync(folder);
    mkdirSync(join(this.#base, 'etcd'), { mode: 0o700 });
    const owned = [this.#base, join(this.#base, 'etcd'), ...this.#nodes.map(({ folder }) => folder)];
    if (this.#user) for (const path of owned) chownSync(path, this.#user.uid, this.#user.gid);
  }

  #spawn(program: string, args: readonly string[], log: string, environment: Record<string, string> = {}): ChildProcess {
    const output = openSync(join(this.#base, `${log}.log`), 'a');
    const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', ...environment };
    return spawn(program, args, { cwd: this.#base, env, stdio: ['ignore', output, output], ...this.#user });
  }

  #helper(program: string, args: readonly string[]): void {
    this.#helpers.push(this.#spawn(program, args, program.split('/').at(-1) ?? 'helper'));
  }

  #startNode(node: Node): void {
    const { name, postgres, api, folder } = node;
    node.patroni = this.#spawn('/bin/sh', [join(this.#base, 'start.sh')], name, {
      PATRONI_NAME: name,
      PATRONI_ETCD3_HOSTS: `127.0.0.1:${this.#etcdPort}`,
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_PASSWORD: password,
      PATRONI_REWIND_PASSWORD: password,
      TESSERA_DATABASE_PASSWORD: password,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${api}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${api}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${postgres}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${postgres}`,
      PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'data'),
      PATRONI_POSTGRESQL_BIN_DIR: this.#programs.postgresFolder,
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
    });
  }

  /** The members as any of the nodes sees them. A silent node does not answer. */
  async #members(): Promise<Member[]> {
    const asked = this.#nodes.map(async ({ api }) => {
      const response = await fetch(`http://127.0.0.1:${api}/cluster`, { signal: AbortSignal.timeout(2_000) });
      return ((await response.json()) as { members: Member[] }).members;
    });
    return Promise.any(asked);
  }

  async primary(): Promise<Node> {
    const leader = await eventually('the cluster has a primary', async () => {
      const found = (await this.#members()).find(({ role, state }) => role === 'leader' && state === 'running');
      return this.#nodes.find(({ name }) => name === found?.name);
    });
    return leader;
  }

  /** Wakes and restarts nodes, and waits until all nodes run, and every commit is on two of them. */
  async healed(): Promise<void> {
    this.wake();
    for (const node of this.#nodes) if (node.patroni === null) this.#startNode(node);
    const standby = this.#replication === 'synchronous' ? 'sync_standby' : 'replica';
    await eventually(`all nodes run, and one is a ${standby}`, async () => {
      const members = await this.#members();
      const roles = members.filter(({ state }) => state === 'running' || state === 'streaming').map(({ role }) => role);
      return roles.length === names.length && roles.includes('leader') && roles.includes(standby);
    });
    await eventually('HAProxy leads to the primary', async () => {
      const [row] = await this.#query(this.#ports.primary, 'select pg_is_in_recovery() as standby');
      return row?.standby === false;
    });
  }

  async #query(port: number, text: string): Promise<{ standby?: boolean }[]> {
    const client = new pg.Client({ connectionString: this.urlAt(port), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<{ standby?: boolean }>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Ends the replication to the standbys. Patroni would start it again, so it is stopped until `wake`. */
  async detachStandbys(): Promise<void> {
    const { name } = await this.primary();
    for (const { patroni, postgres } of this.#nodes.filter((node) => node.name !== name)) {
      if (patroni?.pid === undefined) throw new Error('A standby does not run');
      this.#silent.push(patroni.pid);
      signal(patroni.pid, 'SIGSTOP');
      await this.#query(postgres, `alter system set primary_conninfo = ''`);
      await this.#query(postgres, 'select pg_reload_conf()');
    }
  }

  /** Asks the primary to hand over to its standby, as before maintenance. */
  async switchOver(): Promise<void> {
    const { name, api } = await this.primary();
    const response = await fetch(`http://127.0.0.1:${api}/switchover`, { method: 'POST', body: JSON.stringify({ leader: name }) });
    if (!response.ok) throw new Error(`The switch-over was refused: ${response.status} ${await response.text()}`);
  }

  async killPostgres(): Promise<void> {
    process.kill(this.#postmaster(await this.primary()), 'SIGKILL');
  }

  async killNode(): Promise<void> {
    const node = await this.primary();
    node.patroni?.kill('SIGKILL');
    process.kill(this.#postmaster(node), 'SIGKILL');
    node.patroni = null;
  }

  /** Stops all processes of the primary without ending them, as if the machine were out of reach. `healed` wakes them. */
  async silenceNode(): Promise<void> {
    const node = await this.primary();
    const postmaster = this.#postmaster(node);
    const children = execFileSync('pgrep', ['-P', String(postmaster)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
    this.#silent = [node.patroni?.pid, postmaster, ...children].filter((pid) => pid !== undefined);
    for (const pid of this.#silent) signal(pid, 'SIGSTOP');
  }

  /** Wakes silent processes. */
  wake(): void {
    for (const pid of this.#silent.splice(0)) signal(pid, 'SIGCONT');
  }

  #postmaster({ folder }: Node): number {
    return Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  }

  async stop(): Promise<void> {
    this.wake();
    const end = async (child: ChildProcess | null, signal: 'SIGTERM' | 'SIGKILL') => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    };
    // Patroni stops its PostgreSQL before it ends.
    await Promise.all(this.#nodes.map(({ patroni }) => end(patroni, 'SIGTERM')));
    await Promise.all(this.#helpers.map((child) => end(child, 'SIGKILL')));
    rmSync(this.#base, { recursive: true, force: true });
  }
}

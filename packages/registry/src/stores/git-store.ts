import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MAX_BLOB_BYTES, type BlobReference } from '../blob.ts';
import { checkFormat, parseDocument } from '../format-version.ts';
import { isLogPart, type LogName } from '../log-name.ts';
import { RegistryError } from '../registry-error.ts';
import { MAX_RECORD_BYTES, type RegistryStore, type StoredBlob } from '../registry-store.ts';
import { fastImport, type CommittedFile } from './git-commit.ts';
import { GitFailed, runGit, withoutPassword, type GitRun } from './git-program.ts';

/** What a {@link GitStore} is made with. */
export interface GitStoreOptions {
  /** @default `trellis-registry` */
  readonly branch?: string | undefined;
  /** Variables of git: credentials of its helpers, ssh. @default those of this process */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const MARK = 'registry.json';
const FORMAT = 'trellis-registry';
const VERSION = 1;
/** How often the branch may have moved under a push: by other logs of the same registry, too. */
const MAX_PUSHES = 30;
/** A lock that still exists then was left by a program that was killed. */
const MAX_LOCKED = 10;

/**
 * A registry in a branch of a git repository. Texts wait in memory for the record that names them, and come with it in one commit.
 * A push is never forced: the server takes one of two, and that is how a record is created once. Who may push to the branch may
 * publish everything that the signing key may sign.
 */
export class GitStore implements RegistryStore {
  readonly description: string;
  readonly #url: string;
  readonly #branch: string;
  readonly #environment: GitStoreOptions['environment'];
  readonly #waiting = new Map<string, { readonly content: Uint8Array; readonly writtenAt: Date }>();
  #directory: Promise<string> | undefined;
  #tip: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(url: string, { branch = 'trellis-registry', environment }: GitStoreOptions = {}) {
    if (!/^[A-Za-z0-9][\w./-]{0,127}$/.test(branch) || branch.includes('..'))
      throw new RegistryError('INVALID_NAME', `${JSON.stringify(branch)} is no branch.`);
    this.#url = url;
    this.#branch = branch;
    this.#environment = environment;
    this.description = `the branch ${branch} of ${withoutPassword(url)}`;
  }

  initialize(signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(async () => {
      if (await this.#fetch(signal, true)) return false;
      const mark = `${JSON.stringify({ format: `${FORMAT}/${VERSION}` })}\n`;
      return this.#push([[MARK, Buffer.from(mark)]], 'A registry', signal);
    });
  }

  async readBlob(digest: string, _bytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    return this.#waiting.get(digest)?.content ?? this.#read(blobPath(digest), MAX_BLOB_BYTES, signal);
  }

  async writeBlob({ digest }: BlobReference, content: Uint8Array, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#waiting.set(digest, { content, writtenAt: new Date() });
  }

  async readHead(log: LogName, signal: AbortSignal): Promise<number> {
    await this.#inTurn(() => this.#fetch(signal));
    return (await this.#list(`${logPath(log)}/`, signal))
      .map((path) => Number(/\/(\d{8})\.jws$/.exec(path)?.[1] ?? 0))
      .reduce((highest, sequence) => Math.max(highest, sequence), 0);
  }

  async readRecord(log: LogName, sequence: number, signal: AbortSignal): Promise<string | undefined> {
    const content = await this.#read(recordPath(log, sequence), MAX_RECORD_BYTES, signal);
    return content?.toString('utf8');
  }

  createRecord(log: LogName, sequence: number, jws: string, signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(() => this.#create(recordPath(log, sequence), jws, signal));
  }

  async #create(path: string, jws: string, signal: AbortSignal): Promise<boolean> {
    let locked = 0;
    for (let pushes = 0; pushes < MAX_PUSHES; pushes += 1) {
      await this.#fetch(signal);
      const stored = await this.#read(path, MAX_RECORD_BYTES, signal);
      if (stored) return stored.toString('utf8') === jws;
      try {
        if (await this.#push([...this.#texts(), [path, Buffer.from(jws)]], path, signal)) return true;
      } catch (error) {
        const lock = lockIn(error);
        if (lock === undefined || (locked += 1) > MAX_LOCKED) throw this.#inWords(error);
      }
      await wait(Math.random() * 100, undefined, { signal });
    }
    throw new RegistryError(
      'STORE_UNAVAILABLE',
      `${this.description} moved at each of ${MAX_PUSHES} pushes.`,
    );
  }

  async listLogs(signal: AbortSignal): Promise<readonly LogName[]> {
    await this.#inTurn(() => this.#fetch(signal));
    const logs = new Map<string, LogName>();
    for (const path of await this.#list('graphs/', signal)) {
      const [, graph = '', environment = ''] =
        /^graphs\/([^/]+)\/environments\/([^/]+)\/log\/\d{8}\.jws$/.exec(path) ?? [];
      if (isLogPart(graph) && isLogPart(environment))
        logs.set(`${graph}@${environment}`, { graph, environment });
    }
    return [...logs].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, log]) => log);
  }

  /** Those that wait: no commit has texts that no record names. */
  async listBlobs(signal: AbortSignal): Promise<readonly StoredBlob[]> {
    signal.throwIfAborted();
    return [...this.#waiting].map(([digest, { content, writtenAt }]) => ({
      digest,
      bytes: content.byteLength,
      writtenAt,
    }));
  }

  async deleteBlob(digest: string, writtenBefore: Date, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const waiting = this.#waiting.get(digest);
    return waiting !== undefined && waiting.writtenAt < writtenBefore && this.#waiting.delete(digest);
  }

  /** One fetch or push at a time: git locks its own repository. */
  #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #texts(): readonly CommittedFile[] {
    return [...this.#waiting].map(([digest, { content }]) => [blobPath(digest), content]);
  }

  /** Reads the branch as it is now. @returns whether it exists */
  async #fetch(signal: AbortSignal, mayBeMissing = false): Promise<boolean> {
    const reference = `refs/heads/${this.#branch}`;
    try {
      await this.#git(
        ['fetch', '--quiet', '--depth=1', '--no-tags', '--', this.#url, `+${reference}:refs/fetched`],
        signal,
      );
    } catch (error) {
      if (!(error instanceof GitFailed) || !/couldn't find remote ref/i.test(error.said))
        throw this.#inWords(error);
      if (mayBeMissing) return false;
      throw this.#noRegistry();
    }
    const tip = (await this.#git(['rev-parse', 'refs/fetched'], signal)).toString('utf8').trim();
    if (tip === this.#tip) return true;
    this.#tip = tip;
    const mark = await this.#read(MARK, MAX_RECORD_BYTES, signal);
    if (!mark) throw this.#noRegistry();
    checkFormat(parseDocument(mark.toString('utf8'), FORMAT), FORMAT, VERSION);
    return true;
  }

  #noRegistry(): RegistryError {
    return new RegistryError(
      'NO_REGISTRY',
      `${this.description} is no registry. Make one with: trellis registry init`,
    );
  }

  /** One commit on top of the branch as it was read. @returns false where another was pushed before */
  async #push(changes: readonly CommittedFile[], message: string, signal: AbortSignal): Promise<boolean> {
    const candidate = 'refs/heads/candidate';
    await this.#git(['fast-import', '--quiet', '--force', '--date-format=now'], signal, {
      input: fastImport(candidate, this.#tip, changes, message),
    });
    try {
      await this.#git(
        ['push', '--quiet', '--', this.#url, `${candidate}:refs/heads/${this.#branch}`],
        signal,
      );
      this.#waiting.clear();
      this.#tip = (await this.#git(['rev-parse', candidate], signal)).toString('utf8').trim();
      return true;
    } catch (error) {
      if (error instanceof GitFailed && isOutrun(error.said)) return false;
      throw error;
    }
  }

  async #read(path: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined> {
    if (this.#tip === undefined) await this.#inTurn(() => this.#fetch(signal));
    try {
      return await this.#git(['cat-file', 'blob', `${this.#tip}:${path}`], signal, { maxBytes });
    } catch (error) {
      if (error instanceof GitFailed && isAbsent(error.said)) return undefined;
      throw this.#inWords(error);
    }
  }

  async #list(path: string, signal: AbortSignal): Promise<readonly string[]> {
    const listed = await this.#git(
      ['ls-tree', '-r', '--name-only', '-z', this.#tip ?? '', '--', path],
      signal,
    );
    return listed.toString('utf8').split('\0').filter(Boolean);
  }

  async #git(
    args: readonly string[],
    signal: AbortSignal,
    more: Omit<GitRun, 'signal'> = {},
  ): Promise<Buffer> {
    signal.throwIfAborted();
    this.#directory ??= makeRepository(signal, this.#environment);
    const directory = await this.#directory;
    return runGit([`--git-dir=${directory}`, ...args], { ...more, signal, environment: this.#environment });
  }

  #inWords(error: unknown): unknown {
    if (!(error instanceof GitFailed)) return error;
    const lock = lockIn(error);
    const { said } = error;
    if (lock !== undefined)
      return new RegistryError(
        'STORE_LOCKED',
        `${this.description} is locked by ${lock}. If no git runs there, one was killed: delete that file.`,
        { cause: error },
      );
    const isDenied = /denied|protected branch|hook declined|403|not allowed/i.test(said);
    return new RegistryError(isDenied ? 'NO_RIGHT' : 'STORE_UNAVAILABLE', `${this.description}: ${said}`, {
      cause: error,
    });
  }
}

/** Those of this process, which end with it. */
const repositories = new Set<string>();

function removeRepositories(): void {
  for (const directory of repositories) rmSync(directory, { recursive: true, force: true });
}

/** Objects of this process alone: two processes would wait for one another's locks. */
async function makeRepository(
  signal: AbortSignal,
  environment: GitStoreOptions['environment'],
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-registry-'));
  if (repositories.size === 0) process.once('exit', removeRepositories);
  repositories.add(directory);
  await runGit(['init', '--quiet', '--bare', '--', directory], { signal, environment });
  return directory;
}

/** The branch has no such file; git looks besides whether the folder that it was started in has one. */
function isAbsent(said: string): boolean {
  return /does not exist in|exists on disk, but not in|Not a valid object name/i.test(said);
}

/** Another push came first, or is just coming. */
function isOutrun(said: string): boolean {
  return /fetch first|non-fast-forward|stale info|but expected|reference already exists|cannot lock ref(?!.*\.lock)/is.test(
    said,
  );
}

function lockIn(error: unknown): string | undefined {
  return error instanceof GitFailed ? /Unable to create '([^'\n]+\.lock)'/.exec(error.said)?.[1] : undefined;
}

function logPath({ graph, environment }: LogName): string {
  if (isLogPart(graph) && isLogPart(environment)) return `graphs/${graph}/environments/${environment}/log`;
  throw new RegistryError('INVALID_NAME', 'A graph and an environment are named by a-z, 0-9, _ and -.');
}

function recordPath(log: LogName, sequence: number): string {
  return `${logPath(log)}/${String(sequence).padStart(8, '0')}.jws`;
}

function blobPath(digest: string): string {
  return `blobs/sha256/${digest}`;
}

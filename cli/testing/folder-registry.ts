import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeVerdict, type ReleaseVerdict } from '@trellis/release-verdict';
import { vi } from 'vitest';
import { linkSchema, type UnlinkedSchema } from './federation-link.ts';
import { trellis, type CommandRun } from './run-command.ts';

/** What releases were composed with, and how they differed. */
export interface StoredRelease {
  readonly hints: readonly string[];
  readonly composers: Readonly<Record<string, string>>;
}

/** A registry in a folder, which every command of the process takes for its own. */
export class FolderRegistry {
  /** For files of a test. */
  readonly folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes keys; the registry is made by {@link begin}. */
  static async create(): Promise<FolderRegistry> {
    const folder = await mkdtemp(join(tmpdir(), 'registry-commands-'));
    const { out } = await trellis('keys', 'new', '--format', 'json');
    const { signingKey, trust } = JSON.parse(out) as { signingKey: unknown; trust: unknown };
    vi.stubEnv('TRELLIS_SIGNING_KEY', JSON.stringify(signingKey));
    vi.stubEnv('TRELLIS_REGISTRY_TRUST', JSON.stringify(trust));
    vi.stubEnv('TRELLIS_GRAPH', 'content@production');
    vi.stubEnv('TRELLIS_ACTOR', 'ada');
    return new FolderRegistry(folder);
  }

  /** Where the registry is that was begun last. */
  get path(): string {
    return join(this.folder, `registry-${this.#count}`);
  }

  /** Makes another registry, which is empty. */
  async begin(): Promise<void> {
    this.#count += 1;
    vi.stubEnv('TRELLIS_REGISTRY', this.path);
    await trellis('registry', 'init');
  }

  async write(name: string, text: string): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(file, text);
    return file;
  }

  async publish(name: string, typeDefs: UnlinkedSchema, ...more: readonly string[]): Promise<CommandRun> {
    const schema = await this.write(`${name}.graphql`, linkSchema(typeDefs));
    const place = ['--schema', schema, '--routing-url', `http://${name}.test/graphql`];
    return trellis('publish', '--subgraph', name, ...place, ...more);
  }

  async releases(): Promise<readonly StoredRelease[]> {
    const blobs = (await this.files()).filter((file) => file.startsWith('blobs/sha256/'));
    const texts = await Promise.all(blobs.map((file) => readFile(join(this.path, file), 'utf8')));
    return texts
      .filter((text) => text.includes('"composers"'))
      .map((text) => JSON.parse(text) as StoredRelease);
  }

  async files(): Promise<readonly string[]> {
    return (await readdir(this.path, { recursive: true })).toSorted();
  }

  /** Of the verdicts of the records, the newest first. */
  async verdictDigests(): Promise<readonly (string | undefined)[]> {
    const { out } = await trellis('history', '--format', 'json');
    const { records } = JSON.parse(out) as { records: { verdict?: { digest: string } }[] };
    return records.map(({ verdict }) => verdict?.digest);
  }

  async verdicts(): Promise<readonly (ReleaseVerdict | undefined)[]> {
    const read = async (digest: string | undefined): Promise<ReleaseVerdict | undefined> =>
      digest === undefined
        ? undefined
        : decodeVerdict(await readFile(join(this.path, 'blobs/sha256', digest), 'utf8'));
    return Promise.all((await this.verdictDigests()).map(read));
  }

  async close(): Promise<void> {
    vi.unstubAllEnvs();
    await rm(this.folder, { recursive: true });
  }
}

import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { writeFileAtomically } from '../supergraph/write-file-atomically.ts';
import { OperationsProblem } from '../recorded/operations-problem.ts';
import type { ListedDocument } from './read-documents.ts';

/** Whose operations a list has. */
export interface ListName {
  readonly client: string;
  /** Absent: every version without a list of its own. */
  readonly version?: string | undefined;
}

/** The operations of a version of a client, as a gateway reads them. */
export interface OperationList extends ListName {
  readonly published: string;
  /** RFC 3339. Absent: it is served. */
  readonly retires?: string | undefined;
  readonly operations: readonly {
    readonly id: string;
    readonly name?: string | undefined;
    readonly body: string;
  }[];
}

/** Apollo's manifest, with what Trellis says beside it: other tools read the operations. */
const listFile = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), name: z.string().optional(), body: z.string() })),
  trellis: z.object({
    list: z.literal(1),
    client: z.string(),
    version: z.string().optional(),
    published: z.string(),
    retires: z.string().optional(),
  }),
});

/** A change takes milliseconds: for ten seconds another one waits for it. */
const [LOCK_ATTEMPTS, LOCK_PAUSE_MS] = [200, 50];

/** 1 to 100 printable characters, as a gateway takes the names of clients; `@` separates name and version. */
const NAME = /^[!-~](?:[ -~]{0,98}[!-~])?$/;

/**
 * Published lists in a folder: one file for each version of a client, written whole or not at all, so that who publishes for one
 * client never waits for, or undoes, what others publish. A gateway watches the folder.
 */
export class OperationLists {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Publishes a list.
   *
   * @param replaces whether it may take the place of another
   * @returns whether anything has changed
   * @throws OperationsProblem LIST_EXISTS where that version has other operations; INVALID_LISTS, INVALID_OPTION
   */
  async publish(
    name: ListName,
    documents: readonly ListedDocument[],
    replaces: boolean,
    now: Date = new Date(),
  ): Promise<boolean> {
    const operations = documents
      .map(({ id, name: called, body }) => ({ id, ...(called !== undefined && { name: called }), body }))
      .toSorted((left, right) => (left.id < right.id ? -1 : 1));
    const list = { ...name, published: now.toISOString(), operations };
    await mkdir(this.#folder, { recursive: true });
    if (await this.#create(list)) return true;
    return this.#alone(name, () => this.#publishOver(list, replaces));
  }

  async #publishOver(list: OperationList, replaces: boolean): Promise<boolean> {
    const { operations, client, version } = list;
    const name = { client, version };
    const known = await this.read(name);
    const isSame = JSON.stringify(known.operations) === JSON.stringify(operations);
    if (isSame && known.retires === undefined) return false;
    if (!replaces)
      throw new OperationsProblem(
        'LIST_EXISTS',
        isSame
          ? `${labelOf(name)} was retired; --replace publishes it again.`
          : `${labelOf(name)} is published with other operations: publish under another version, or with --replace.`,
      );
    await this.#replace(list);
    return true;
  }

  /**
   * Withdraws a list from a moment on.
   *
   * @param at undefined: it is served on
   * @throws OperationsProblem UNKNOWN_LIST, INVALID_LISTS, INVALID_OPTION
   */
  async retire(name: ListName, at: Date | undefined): Promise<void> {
    await this.read(name);
    await this.#alone(name, async () => {
      const { retires: _before, ...list } = await this.read(name);
      await this.#replace(at ? { ...list, retires: at.toISOString() } : list);
    });
  }

  /** @throws OperationsProblem UNKNOWN_LIST, INVALID_LISTS, INVALID_OPTION */
  async read(name: ListName): Promise<OperationList> {
    const file = this.fileOf(name);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new OperationsProblem(
        'UNKNOWN_LIST',
        `No list of ${labelOf(name)} is published in ${this.#folder}.`,
      );
    });
    const list = decode(file, text);
    // A file system that takes capital letters for small ones has one file for both.
    if (list.client === name.client && list.version === name.version) return list;
    throw new OperationsProblem(
      'INVALID_LISTS',
      `${file} is the list of ${labelOf(list)}: one folder has no place for ${labelOf(name)} beside it.`,
    );
  }

  /** All of them, by file name. @throws OperationsProblem INVALID_LISTS; Error of node:fs */
  async all(): Promise<readonly OperationList[]> {
    const names = (await readdir(this.#folder))
      .filter((name) => /^[^.].*\.operations\.json$/.test(name))
      .toSorted();
    return Promise.all(
      names.map(async (name) => {
        const file = join(this.#folder, name);
        return decode(file, await readFile(file, 'utf8'));
      }),
    );
  }

  /** Where a list stands. @throws OperationsProblem INVALID_OPTION for names that no client can send */
  fileOf({ client, version }: ListName): string {
    for (const part of [client, version ?? client])
      if (!NAME.test(part) || client.includes('@'))
        throw new OperationsProblem(
          'INVALID_OPTION',
          'A client and its version are 1 to 100 printable ASCII characters, the client without @.',
        );
    const name = version === undefined ? encode(client) : `${encode(client)}@${encode(version)}`;
    return join(this.#folder, `${name}.operations.json`);
  }

  /** @returns false where there is one */
  async #create(list: OperationList): Promise<boolean> {
    const draft = join(this.#folder, `.${randomUUID()}.tmp`);
    try {
      await writeFile(draft, encodeList(list));
      await link(draft, this.fileOf(list));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** What was read is what is replaced: one command at a time changes a list. */
  async #alone<Result>(name: ListName, change: () => Promise<Result>): Promise<Result> {
    const file = this.fileOf(name);
    const lock = join(this.#folder, `.${basename(file)}.lock`);
    for (let attempt = 1; !(await createEmpty(lock)); attempt += 1) {
      if (attempt >= LOCK_ATTEMPTS)
        throw new OperationsProblem(
          'INVALID_LISTS',
          `Another command changes ${labelOf(name)}. If it was killed, delete ${lock}.`,
        );
      await wait(LOCK_PAUSE_MS);
    }
    try {
      return await change();
    } finally {
      await rm(lock, { force: true });
    }
  }

  async #replace(list: OperationList): Promise<void> {
    await writeFileAtomically(this.fileOf(list), encodeList(list));
  }
}

/** @returns false where it exists */
async function createEmpty(file: string): Promise<boolean> {
  return writeFile(file, '', { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

/** `ios 3.2`, for users. */
export function labelOf({ client, version }: ListName): string {
  return version === undefined ? client : `${client} ${version}`;
}

/** A file of Apollo's format with operations, for other tools and for lists that are not published. */
export function manifestText(documents: readonly ListedDocument[]): string {
  const operations = documents.map(({ id, name, body }) => ({ id, name, type: typeOf(body), body }));
  return `${JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }, undefined, 2)}\n`;
}

function typeOf(body: string): string {
  return /^\s*(mutation|subscription)\b/.exec(body)?.[1] ?? 'query';
}

function encodeList({ operations, ...about }: OperationList): string {
  const list = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    trellis: { list: 1, ...about },
    operations,
  };
  return `${JSON.stringify(list, undefined, 2)}\n`;
}

function decode(file: string, text: string): OperationList {
  const parsed = listFile.safeParse(tryParse(text));
  if (!parsed.success)
    throw new OperationsProblem(
      'INVALID_LISTS',
      `${file} is damaged, or no list of this version of Trellis.`,
    );
  const { client, version, published, retires } = parsed.data.trellis;
  const { operations } = parsed.data;
  return { client, version, published, ...(retires !== undefined && { retires }), operations };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** File names of every system: what stands for something else in them is written with %. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[.*'()~!]/g, (character) =>
      character === '.' ? '.' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    )
    .replace(/^\./, '%2E');
}

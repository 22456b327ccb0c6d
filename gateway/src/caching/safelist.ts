import { readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileFailure, isFileFailure } from '@trellis/runtime/file-failure';
import { z } from 'zod';

/** The operations that may be run, by the ids under which clients ask for them. */
export interface Safelist {
  /** The text of an operation. */
  textOf(id: string): string | undefined;
  /** Whether a text, sent as it is, is one of them. */
  has(text: string): boolean;
  readonly size: number;
  /** Each text once. */
  texts(): Iterable<string>;
  /** When the version of the client that it is for is no longer served. Absent: it is served. */
  readonly retirement?: Retirement;
}

/** The end of a version of a client. */
export interface Retirement {
  /** For users: `ios 3.1`. */
  readonly client: string;
  readonly at: Date;
}

/** The safelists of a configuration. */
export interface Safelists {
  /**
   * That of a client: its own where it has one, else the one of all others. The OAuth client is proved, so a list under `oauth:` and its
   * id comes before what the client says of itself: its name and version, or its name.
   */
  of(client: ListedClient): Safelist;
  /** Whether there is a list of an OAuth client, so that who sends a request has to be known first. */
  readonly needOAuthClient: boolean;
  /** What any of them has. */
  readonly all: Safelist;
}

/** Who asks for a list. */
export interface ListedClient {
  /** What it says of its program, which is not proved. */
  readonly software: { readonly name: string; readonly version: string } | undefined;
  /** The client of a verified access token. */
  readonly oauthClient: string | undefined;
}

/** Before the id of an OAuth client, in the place of a name. */
const OAUTH = 'oauth:';

/** Files of safelists. */
export interface SafelistFiles {
  /** Of clients without a list of their own. */
  readonly others: readonly string[];
  /** By `name` or `name@version`; `name` may be `oauth:` and the id of an OAuth client. */
  readonly clients: ReadonlyMap<string, readonly string[]>;
  /** Folder of what `trellis operations publish` has published. */
  readonly lists?: string | undefined;
}

/** What the files of safelists hold, as one process can send it to another. */
export interface ListedOperations {
  readonly others: readonly ManifestEntry[];
  /** By `name` or `name@version`. */
  readonly own: ReadonlyMap<string, OwnList>;
  readonly all: readonly ManifestEntry[];
}

interface OwnList {
  readonly entries: readonly ManifestEntry[];
  readonly retirement: Retirement | undefined;
}

/** The safelists of all clients. */
export function createSafelists({ others, own: listed, all }: ListedOperations): Safelists {
  const ofOthers = new TextsById(others);
  const own = new Map(
    [...listed].map(([name, { entries, retirement }]) => [name, new TextsById(entries, retirement)]),
  );
  return {
    of: (client) => ownListOf(client, own) ?? ofOthers,
    needOAuthClient: [...own.keys()].some((name) => name.startsWith(OAUTH)),
    all: own.size === 0 ? ofOthers : new TextsById(all),
  };
}

/**
 * Reads the operations of all clients, each file once.
 *
 * @throws InvalidManifest naming the file
 */
export function readListedOperations({ others, clients, lists }: SafelistFiles): ListedOperations {
  const read = eachOnce(readJson);
  const entriesOf = eachOnce((file) => entriesIn(file, read(file)));
  const published = lists === undefined ? [] : readPublished(lists, read);
  const own = new Map<string, OwnList>();
  for (const [name, files] of clients)
    own.set(name, { entries: files.flatMap(entriesOf), retirement: undefined });
  for (const { name, file, retirement } of published)
    own.set(name, { entries: [...(clients.get(name) ?? []), file].flatMap(entriesOf), retirement });
  const served = published.flatMap(({ file, retirement }) => (isRetired(retirement) ? [] : file));
  return {
    others: others.flatMap(entriesOf),
    own,
    all: [...others, ...[...clients.values()].flat(), ...served].flatMap(entriesOf),
  };
}

function eachOnce<Value>(read: (file: string) => Value): (file: string) => Value {
  const known = new Map<string, Value>();
  return (file) => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const value = read(file);
    known.set(file, value);
    return value;
  };
}

/** A name in a header that begins as those of OAuth clients do proves nothing, and finds nothing. */
function ownListOf(
  { software, oauthClient }: ListedClient,
  own: ReadonlyMap<string, Safelist>,
): Safelist | undefined {
  const listOf = (name: string): Safelist | undefined =>
    own.get(`${name}@${software?.version ?? ''}`) ?? own.get(name);
  const proved = oauthClient === undefined ? undefined : listOf(OAUTH + oauthClient);
  if (proved || !software || software.name.startsWith(OAUTH)) return proved;
  return listOf(software.name);
}

/** Whether a version of a client is not served any more. */
export function isRetired(retirement: Retirement | undefined): boolean {
  return retirement !== undefined && retirement.at.getTime() <= Date.now();
}

interface PublishedList {
  /** `name` or `name@version`. */
  readonly name: string;
  readonly file: string;
  readonly retirement: Retirement | undefined;
}

/** What a published list says beside its operations. */
const publication = z.object({
  trellis: z.object({
    list: z.literal(1),
    client: z.string().min(1),
    version: z.string().min(1).optional(),
    retires: z.iso.datetime({ offset: true }).optional(),
  }),
});

/** @throws InvalidManifest where two files are of the same client */
function readPublished(folder: string, read: (file: string) => unknown): readonly PublishedList[] {
  const files = new Map<string, string>();
  return listFiles(folder).map((file) => {
    const list = publishedIn(file, read(file));
    const other = files.get(list.name);
    if (other !== undefined)
      throw new InvalidManifest(
        `${other} and ${file} are both the list of ${list.name}. Remove one of them.`,
      );
    files.set(list.name, file);
    return list;
  });
}

function publishedIn(file: string, value: unknown): PublishedList {
  const parsed = publication.safeParse(value);
  if (!parsed.success) throw new InvalidManifest(`${file} is no list of this version of Trellis.`);
  const { client, version, retires } = parsed.data.trellis;
  const retirement =
    retires === undefined ? undefined : { client: labelOf(client, version), at: new Date(retires) };
  return { name: version === undefined ? client : `${client}@${version}`, file, retirement };
}

/**
 * Every list of a folder. Drafts begin with a dot.
 *
 * @throws InvalidManifest where the folder can't be read
 */
export function listFiles(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => /^[^.].*\.operations\.json$/.test(name))
    .map((name) => join(folder, name));
}

function labelOf(client: string, version: string | undefined): string {
  return version === undefined ? client : `${client} ${version}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    throw new InvalidManifest(`${folder} can't be read: ${(error as Error).message}`); // fs throws Errors
  }
}

/** @see https://www.apollographql.com/docs/graphos/platform/security/persisted-queries "Manifest format" */
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
});

/** What Relay's compiler writes: texts by their hashes. */
const relayManifest = z.record(z.string().min(1), z.string().min(1));

/** A manifest that can't be used; the message says why. */
export class InvalidManifest extends Error {
  override readonly name = 'InvalidManifest';
}

/** An operation of a manifest. */
interface ManifestEntry {
  readonly id: string;
  /** SHA-256 of the text, hexadecimal: Apollo's ids may be something else. */
  readonly hash: string;
  readonly text: string;
}

/** The operations of some manifests. */
class TextsById implements Safelist {
  readonly retirement?: Retirement;
  readonly #texts = new Map<string, string>();
  readonly #known: ReadonlySet<string>;

  constructor(entries: readonly ManifestEntry[], retirement?: Retirement) {
    for (const { id, hash, text } of entries) this.#texts.set(id, text).set(hash, text);
    this.#known = new Set(this.#texts.values());
    if (retirement) this.retirement = retirement;
  }

  get size(): number {
    return this.#known.size;
  }

  textOf(id: string): string | undefined {
    return this.#texts.get(id);
  }

  has(text: string): boolean {
    return this.#known.has(text);
  }

  texts(): Iterable<string> {
    return this.#known;
  }
}

/** @throws InvalidManifest where it is neither in Apollo's nor in Relay's format */
function entriesIn(file: string, value: unknown): readonly ManifestEntry[] {
  return operationsIn(file, value).map(([id, text]) => ({
    id,
    hash: createHash('sha256').update(text).digest('hex'),
    text,
  }));
}

function operationsIn(file: string, value: unknown): readonly (readonly [string, string])[] {
  const apollo = apolloManifest.safeParse(value);
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => [id, body] as const);
  const relay = relayManifest.safeParse(value);
  if (relay.success) return Object.entries(relay.data);
  throw new InvalidManifest(`${file} is neither a manifest of Apollo's nor one of Relay's format.`);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    if (isFileFailure(error)) throw new InvalidManifest(fileFailure(error, file));
    throw new InvalidManifest(`${file} can't be read: ${(error as Error).message}`); // JSON throws Errors
  }
}

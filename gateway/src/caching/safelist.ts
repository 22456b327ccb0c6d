import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
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
}

/** The safelists of a configuration. */
export interface Safelists {
  /** That of a client: its own where it has one, by its name and version or by its name; else the one of all others. */
  of(client: { readonly name: string; readonly version: string } | undefined): Safelist;
  /** What any of them has. */
  readonly all: Safelist;
}

/** Files of safelists. */
export interface SafelistFiles {
  /** Of clients without a list of their own. */
  readonly others: readonly string[];
  /** By `name` or `name@version`. */
  readonly clients: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the safelists of all clients.
 *
 * @throws InvalidManifest naming the file
 */
export function readSafelists({ others, clients }: SafelistFiles): Safelists {
  const ofOthers = readSafelist(others);
  if (clients.size === 0) return { of: () => ofOthers, all: ofOthers };
  const own = new Map([...clients].map(([name, files]) => [name, readSafelist(files)]));
  return {
    of: (client) =>
      (client && (own.get(`${client.name}@${client.version}`) ?? own.get(client.name))) ?? ofOthers,
    all: readSafelist([...others, ...[...clients.values()].flat()]),
  };
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

/**
 * Reads manifests in Apollo's or Relay's format.
 *
 * @throws InvalidManifest naming the file
 */
function readSafelist(files: readonly string[]): Safelist {
  const texts = new Map<string, string>();
  for (const file of files)
    for (const [id, text] of readManifest(file)) {
      texts.set(id, text);
      texts.set(createHash('sha256').update(text).digest('hex'), text); // Apollo's ids may be something else
    }
  const known = new Set(texts.values());
  return {
    textOf: (id) => texts.get(id),
    has: (text) => known.has(text),
    size: known.size,
    texts: () => known,
  };
}

function readManifest(file: string): readonly (readonly [string, string])[] {
  const value = readJson(file);
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
    throw new InvalidManifest(`${file} can't be read: ${(error as Error).message}`); // fs and JSON throw Errors
  }
}

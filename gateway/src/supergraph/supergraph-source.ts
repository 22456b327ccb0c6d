import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { request } from 'undici';
import { failInWords } from '@trellis/runtime/file-failure';
import { stampFile, watchFile, type StampedFile } from '@trellis/runtime/watch-file';
import type { SubgraphEndpoint } from './supergraph.ts';

/** Where the text of a supergraph comes from. */
export interface SupergraphSource {
  /** For logs: a path or a URL without its query. */
  readonly description: string;
  /**
   * Reads the text.
   *
   * @returns nothing when it is known not to have changed since the last reading
   * @throws when it can't be read
   */
  read(signal: AbortSignal): Promise<string | undefined>;
  /**
   * How long the first reading is tried again where it fails for another reason than what was read, milliseconds: who is
   * asked may be starting too. @default 0
   */
  readonly patienceMs?: number;
  /** How often reading again is worthwhile, milliseconds. @default 5000 */
  readonly pollMs?: number;
  /** Calls back when reading again is worthwhile, as far as the source knows. @returns ends it */
  watch?(changed: () => void): () => void;
  /** How long a change settles before it is read, milliseconds. @default 50: editors and `cp` write in several steps */
  readonly settleMs?: number;
  /** Whether texts come straight from composition: then they are not validated again. @default false */
  readonly isComposedHere?: boolean;
  /** Called when a text that was read serves. */
  serving?(supergraphSdl: string): void;
  /** Called in the place of a log where a text is rejected, or reading fails. */
  rejected?(error: Error): void;
}

/** A supergraph in a file. */
export function createFileSource(path: string): SupergraphSource {
  const file = resolve(path);
  let seen: StampedFile | undefined;
  return {
    description: file,
    read(signal) {
      seen = stampFile(file);
      return readFile(file, { encoding: 'utf8', signal }).catch((error: unknown) => failInWords(error, file));
    },
    watch: (changed) => watchFile(seen ?? stampFile(file), changed),
  };
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A supergraph behind a URL. An `ETag` saves sending what has not changed. Redirects are not followed. */
export function createUrlSource(url: string): SupergraphSource {
  let etag: string | undefined;
  const { origin, pathname } = new URL(url);
  return {
    description: `${origin}${pathname}`,
    async read(signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const headers = etag === undefined ? {} : { 'if-none-match': etag };
      const response = await request(url, { headers, signal: limit });
      if (response.statusCode === 304) {
        await response.body.dump();
        return undefined;
      }
      if (response.statusCode !== 200) {
        await response.body.dump();
        throw new Error(`${origin}${pathname} answered ${response.statusCode}.`);
      }
      const text = await readCapped(response.body);
      etag = [response.headers['etag']].flat()[0];
      return text;
    },
  };
}

async function readCapped(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`The supergraph is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Where a supergraph is to be had. */
type SupergraphLocation =
  | { readonly file: string }
  | { readonly url: string }
  /** The registry that gateway.yaml describes. */
  | { readonly registry: true }
  /** Running subgraphs to compose, in development. */
  | { readonly subgraphs: readonly SubgraphEndpoint[] };

/**
 * Reads what names a supergraph: a path, an http(s) URL, `registry`, or running subgraphs as `name=url name=url`.
 *
 * @returns nothing where it begins like subgraphs and is none, or names one twice
 */
export function locateSupergraph(text: string): SupergraphLocation | undefined {
  if (/^https?:\/\//.test(text)) return { url: text };
  if (text === 'registry') return { registry: true }; // a file of that name is ./registry
  if (!/^[^=\s/\\]+=https?:\/\//.test(text.trim())) return { file: text };
  const subgraphs = text.trim().split(/\s+/).map(readEndpoint);
  const known = subgraphs.filter((subgraph) => subgraph !== undefined);
  const names = new Set(known.map(({ name }) => name));
  return names.size === subgraphs.length ? { subgraphs: known } : undefined;
}

function readEndpoint(word: string): SubgraphEndpoint | undefined {
  const [, name, url] = /^([^=]+)=(https?:\/\/.+)$/.exec(word) ?? [];
  return name !== undefined && url !== undefined && URL.canParse(url) ? { name, url } : undefined;
}

import { execFile } from 'node:child_process';
import { dirname, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  composeLoaded,
  formatDiagnostic,
  loadSubgraphs,
  parseRelease,
  parseSupergraphConfigText,
  type Release,
  type SupergraphConfig,
} from '@trellis/composition';
import { readNamedFile } from './named-file.ts';

/** What is compared with could not be had. The message says why. */
export class BaseUnavailable extends Error {
  override readonly name = 'BaseUnavailable';
}

const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const execute = promisify(execFile);

type ReadText = (file: string) => Promise<string>;

/**
 * Reads the graph before a change: a supergraph, a release, or a configuration; from a file, a URL, or a revision in git
 * (`git:main`, `git:main:graph/supergraph.graphql`).
 *
 * @param config the configuration of the graph after, whose file git:REVISION takes
 * @throws BaseUnavailable; Error with a system call for files
 */
export async function readBase(against: string, config: string): Promise<Release> {
  if (/^https?:\/\//.test(against)) return toRelease(await fetchText(against), against, readNamedFile);
  const [, revision, file = config] = /^git:([^:]+)(?::(.+))?$/.exec(against) ?? [];
  if (revision === undefined) return toRelease(await readNamedFile(against), against, readNamedFile);
  const read = readRevision(revision);
  return toRelease(await read(resolve(file)), file, read);
}

async function toRelease(text: string, file: string, read: ReadText): Promise<Release> {
  if (/\.ya?ml$/.test(file)) return composeBase(parseSupergraphConfigText(text, file), read);
  return parseRelease(text) ?? { supergraphSdl: text, subgraphs: undefined };
}

async function composeBase(config: SupergraphConfig, readText: ReadText): Promise<Release> {
  const loaded = await loadSubgraphs(config, { readText });
  const composition = loaded.kind === 'loaded' ? composeLoaded(config, loaded.subgraphs) : loaded;
  if (loaded.kind === 'loaded' && composition.kind === 'composed')
    return { supergraphSdl: composition.supergraphSdl, subgraphs: loaded.subgraphs };
  const reasons = composition.kind === 'failed' ? composition.errors.map(formatDiagnostic) : [];
  throw new BaseUnavailable(`The graph before the change does not compose:\n${reasons.join('\n')}`);
}

function readRevision(revision: string): ReadText {
  return async (file) => {
    const folder = dirname(resolve(file));
    const path = `./${relative(folder, resolve(file))}`;
    try {
      const args = ['show', '--end-of-options', `${revision}:${path}`];
      const { stdout } = await execute('git', args, {
        cwd: folder,
        maxBuffer: MAX_BYTES,
        timeout: TIMEOUT_MS,
      });
      return stdout;
    } catch (error) {
      const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
      throw new BaseUnavailable(`git has no ${path} at ${revision}: ${said}`);
    }
  };
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await readBounded(response);
  } catch (error) {
    throw new BaseUnavailable(
      `${url} did not return a supergraph: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** A longer one is not read to its end. */
async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

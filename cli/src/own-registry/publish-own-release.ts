import {
  digestOf,
  FolderStore,
  parseLogName,
  readRelease,
  trustIn,
  verifyLog,
  type LogName,
  type VerifiedHead,
} from '@trellis/registry';
import type { OwnRelease, OwnSubgraph, PublishedOwnRelease } from '../platform/own-release.ts';
import { PublicationRejected } from '../publish/publication-rejected.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import { openOwnKey, ownRegistryFiles } from './own-registry-files.ts';

const REJECTED: ReadonlySet<string> = new Set(['breaking', 'unknown']);

/** Whom the records name. */
const ACTOR = 'npm start';

/**
 * Publishes what the platform hosts to the registry of its data directory, which is made the first time. Subgraphs that others have
 * published there stay.
 *
 * @throws RegistryError, PublicationRejected; Error with a system call for files
 */
export async function publishOwnRelease(
  release: OwnRelease,
  signal: AbortSignal,
): Promise<PublishedOwnRelease> {
  const { dataDirectory, graph, signingKey, subgraphs } = release;
  const files = ownRegistryFiles(dataDirectory);
  const signers = await openOwnKey(files, signingKey);
  const store = new FolderStore(files.registry);
  await store.initialize(signal);
  const access = { store, ...signers, trust: await trustIn(signers), actor: ACTOR };
  const log = parseLogName(graph);
  const head = await verifyLog(store, log, access.trust, { signal });
  const isNew = !head || !(await holds(access, head, subgraphs, signal));
  const { record } = isNew ? await publish(access, log, release, signal) : head;
  return { sequence: record.sequence, registry: files.registry, trust: files.trust };
}

/** Whether a release has these subgraphs as they are. Most starts find that it has, and load no composer. */
async function holds(
  { store }: SigningAccess,
  { record }: VerifiedHead,
  subgraphs: readonly OwnSubgraph[],
  signal: AbortSignal,
): Promise<boolean> {
  const published = await readRelease(store, record.release, signal);
  const known = new Map(published.subgraphs.map((subgraph) => [subgraph.name, subgraph]));
  return subgraphs.every(({ name, sdl, routingUrl }) => {
    const { schema, routing } = known.get(name) ?? {};
    return schema?.digest === digestOf(Buffer.from(sdl)) && routing?.url === routingUrl;
  });
}

async function publish(
  access: SigningAccess,
  log: LogName,
  { subgraphs, isChecked }: OwnRelease,
  signal: AbortSignal,
): Promise<VerifiedHead> {
  const { publishRelease } = await import('../publish/publish-release.ts');
  const set = subgraphs.map((subgraph) => ({ ...subgraph, source: `${subgraph.name}/schema.graphql` }));
  const request = { set, remove: [], isWhole: false, isChecked };
  const { head } = await publishRelease(access, log, request, signal).catch(inOneSentence);
  return head;
}

/** A start has room for the first reason; `trellis publish` says all. */
function inOneSentence(error: unknown): never {
  if (!(error instanceof PublicationRejected)) throw error;
  const { diagnostics, changes } = error.report;
  const problem = diagnostics.find(({ severity }) => severity === 'error');
  if (problem) throw new Error(`The subgraphs do not compose: ${problem.message}`, { cause: error });
  const change = changes.find(({ verdict, approval }) => !approval && REJECTED.has(verdict));
  throw new Error(`Clients may break: ${change?.code} ${change?.coordinate}.`, { cause: error });
}

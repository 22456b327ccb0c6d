import {
  composeBy,
  composerVersions,
  DEFAULT_CHECK_RULES,
  formatDiagnostic,
  outcomeOf,
  printApiSchema,
  type CheckRules,
  type ComparedComposition,
  type Composers,
  type Report,
  type ReportedDiagnostic,
  type Sources,
  type SubgraphSchema,
} from '@trellis/composition';
import {
  appendRecord,
  encodeRelease,
  formatLogName,
  RegistryError,
  writeTextBlob,
  type Appended,
  type BlobReference,
  type LogName,
  type PublishedRelease,
  type PublishedSubgraph,
  type RecordedApproval,
  type RegistryStore,
} from '@trellis/registry';
import { readPublishedGraph, type PublishedGraph } from '../registry/published-graph.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import { checkGraphs } from '../supergraph/check-graphs.ts';
import { composedOf, type ComposedGraph } from '../supergraph/composed-graph.ts';
import { emptyReport } from '../supergraph/empty-report.ts';
import { readServedGraph } from '../supergraph/served-graph.ts';
import { guardRelease } from './guard-release.ts';
import { PublicationRejected } from './publication-rejected.ts';

/** A subgraph as it is to be published. */
export interface SubgraphToPublish {
  readonly name: string;
  readonly sdl: string;
  /** What diagnostics show as its file. */
  readonly source: string;
  /** @default as published before */
  readonly routingUrl?: string | undefined;
  /** Where and how gateways subscribe to it. @default as published before, else as for queries */
  readonly subscriptionUrl?: string | undefined;
  readonly subscriptionProtocol?: string | undefined;
  readonly version?: string | undefined;
  readonly commit?: string | undefined;
}

/** What is to be published, and what it is judged by. */
export interface PublicationRequest {
  readonly set: readonly SubgraphToPublish[];
  readonly remove: readonly string[];
  /** Whether `set` is the whole graph. */
  readonly isWhole: boolean;
  /** Whether what breaks clients is rejected. @default true; false in development, where they change with it */
  readonly isChecked?: boolean;
  /** @default no approvals, no excluded clients */
  readonly rules?: CheckRules;
  /** Files and folders of recorded operations. */
  readonly operations?: readonly string[];
  /** The `gateway.yaml` in force. */
  readonly limits?: string | undefined;
  /** The schemas of the subgraphs that run, where they are known; given what the head has. */
  readonly running?: (
    published: readonly SubgraphSchema[],
  ) => Promise<ReadonlyMap<string, string> | undefined>;
  readonly now?: () => Date;
  /** Who composes. @default Apollo's composer alone */
  readonly composers?: Composers | undefined;
  /** @default composes on the thread that calls, and by the second composer in one of its own */
  readonly compose?: (
    composers: Composers,
    subgraphs: readonly SubgraphSchema[],
  ) => Promise<ComparedComposition>;
}

/** What was published. */
export interface Publication extends Appended {
  /** Undefined for the first release of a log, and for what is not checked, where composing warns of nothing. */
  readonly report: Report | undefined;
  readonly sources: Sources;
}

/**
 * Composes, checks against the head, and appends; over each new head again, where another publisher was faster.
 *
 * @throws PublicationRejected where it does not compose, breaks what is used, or can't be decided; RegistryError
 */
export async function publishRelease(
  access: SigningAccess,
  log: LogName,
  request: PublicationRequest,
  signal: AbortSignal,
): Promise<Publication> {
  let judged: Judged | undefined;
  const { store, trust, signer, actor } = access;
  const now = request.now ?? (() => new Date());
  const appended = await appendRecord({ store, log, trust, signer, signal, now }, async (head) => {
    const base = head && (await readPublishedGraph(store, head.record.release, formatLogName(log), signal));
    const candidate = candidateOf(base, request, log);
    if (base && isPublished(base, candidate)) return 'unchanged';
    judged = await judge(base, candidate, request, log, now());
    const release = await writeRelease(store, candidate, judged, request, signal);
    return {
      release,
      routing: head?.record.routing ?? [],
      variants: head?.record.variants ?? [],
      action: 'publish',
      actor,
      approvals: approvalsOf(judged.report),
    };
  });
  return { ...appended, report: judged?.report, sources: judged?.composed.sources ?? new Map() };
}

/** A subgraph of the release that may come. */
interface CandidateSubgraph extends SubgraphSchema, Pick<PublishedSubgraph, 'version' | 'commit'> {
  /** As published before; a new address takes the place of the old. */
  readonly routing: PublishedSubgraph['routing'];
}

function candidateOf(
  base: PublishedGraph | undefined,
  { set, remove, isWhole }: PublicationRequest,
  log: LogName,
): readonly CandidateSubgraph[] {
  const before = new Map((base?.subgraphs ?? []).map((schema) => [schema.name, schema]));
  const published = new Map((base?.published.subgraphs ?? []).map((subgraph) => [subgraph.name, subgraph]));
  const unknown = remove.find((name) => !before.has(name));
  if (unknown !== undefined)
    throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no subgraph ${JSON.stringify(unknown)}.`);
  const named = new Set([...set.map(({ name }) => name), ...remove]);
  const left = isWhole ? [] : [...before.values()].filter(({ name }) => !named.has(name));
  return [
    ...left.flatMap((schema) => {
      const known = published.get(schema.name);
      return known
        ? [{ ...schema, routing: known.routing, version: known.version, commit: known.commit }]
        : [];
    }),
    ...set.map((subgraph) => withRouting(subgraph, published.get(subgraph.name))),
  ].toSorted((first, second) => (first.name < second.name ? -1 : 1));
}

function withRouting(subgraph: SubgraphToPublish, known: PublishedSubgraph | undefined): CandidateSubgraph {
  const { name, sdl, source, version, commit } = subgraph;
  const url = subgraph.routingUrl ?? known?.routing.url;
  if (url === undefined)
    throw new RegistryError('INVALID_NAME', `The subgraph ${name} is new: it needs --routing-url URL.`);
  if (!isUrl(url, /^https?:$/))
    throw new RegistryError(
      'INVALID_NAME',
      `${JSON.stringify(url)} is no http or https URL of the subgraph ${name}.`,
    );
  const { subscriptionUrl, subscriptionProtocol } = subgraph;
  if (subscriptionUrl !== undefined && !isUrl(subscriptionUrl, /^(https?|wss?):$/))
    throw new RegistryError(
      'INVALID_NAME',
      `${JSON.stringify(subscriptionUrl)} is no http, https, ws or wss URL for subscriptions to ${name}.`,
    );
  if (subscriptionProtocol !== undefined && !SUBSCRIPTION_PROTOCOLS.includes(subscriptionProtocol))
    throw new RegistryError(
      'INVALID_NAME',
      `Subscriptions to ${name} are by one of ${SUBSCRIPTION_PROTOCOLS.join(', ')}.`,
    );
  const routing = {
    url,
    subscriptionUrl: subscriptionUrl ?? known?.routing.subscriptionUrl,
    subscriptionProtocol: subscriptionProtocol ?? known?.routing.subscriptionProtocol,
  };
  return { name, sdl, source, routingUrl: url, routing, version, commit };
}

/** What gateways know. */
const SUBSCRIPTION_PROTOCOLS: readonly string[] = ['auto', 'websocket', 'sse', 'multipart', 'callback'];

/** Gateways would take another one, and fail with each request. */
function isUrl(text: string, protocols: RegExp): boolean {
  return URL.canParse(text) && protocols.test(new URL(text).protocol);
}

/** The version and the commit of a build are no change: a pipeline that runs again publishes nothing. */
function isPublished(
  { subgraphs, published: { subgraphs: known } }: PublishedGraph,
  candidate: readonly CandidateSubgraph[],
): boolean {
  const published = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph.sdl]));
  const routed = new Map(known.map(({ name, routing }) => [name, routing]));
  return (
    published.size === candidate.length &&
    candidate.every(({ name, sdl, routing }) => {
      const before = routed.get(name);
      return (
        published.get(name) === sdl &&
        before?.url === routing.url &&
        before.subscriptionUrl === routing.subscriptionUrl &&
        before.subscriptionProtocol === routing.subscriptionProtocol
      );
    })
  );
}

interface Judged {
  readonly composed: ComposedGraph;
  readonly supergraphSdl: string;
  readonly apiSchema: string;
  readonly report: Report | undefined;
}

async function judge(
  base: PublishedGraph | undefined,
  candidate: readonly CandidateSubgraph[],
  request: PublicationRequest,
  log: LogName,
  now: Date,
): Promise<Judged> {
  const { isChecked = true, composers = 'apollo', compose = composeBy } = request;
  const composed = composedOf(candidate, await compose(composers, candidate));
  const { supergraphSdl, diagnostics, sources } = composed;
  if (supergraphSdl === undefined)
    throw new PublicationRejected('failed', { ...emptyReport('check'), diagnostics }, sources);
  const report = base && isChecked ? await check(base, composed, request, log, now) : warningsOf(composed);
  const outcome = report ? outcomeOf(report) : 'passed';
  if (report && outcome !== 'passed') throw new PublicationRejected(outcome, report, sources);
  const running = base && (await request.running?.(base.subgraphs));
  if (base && running) {
    const violations = await guardRelease({ supergraphSdl, subgraphs: candidate }, base, running);
    if (violations.length > 0)
      throw new PublicationRejected('failed', report ?? emptyReport('check'), sources, violations);
  }
  const { apiSchema } = readServedGraph(supergraphSdl, request.limits, true).comparable;
  return { composed, supergraphSdl, apiSchema: printApiSchema(apiSchema), report };
}

/** What is compared with nothing has the warnings of its composition. */
function warningsOf({ diagnostics }: ComposedGraph): Report | undefined {
  const isWarned = diagnostics.some(({ severity }) => severity === 'warning');
  return isWarned ? { ...emptyReport('compose'), diagnostics } : undefined;
}

async function check(
  base: PublishedGraph,
  composed: ComposedGraph,
  { rules = DEFAULT_CHECK_RULES, operations = [], limits }: PublicationRequest,
  log: LogName,
  now: Date,
): Promise<Report> {
  const name = formatLogName(log);
  const given = { base, baseName: name, composed, rules, operations, limits, limitsAgainst: undefined };
  const report = await checkGraphs({ ...given, place: name, now });
  if (typeof report === 'string') throw new RegistryError('INVALID_RECORD', report.trim());
  return report;
}

/** The texts first, the release last. */
async function writeRelease(
  store: RegistryStore,
  candidate: readonly CandidateSubgraph[],
  { supergraphSdl, apiSchema, composed }: Judged,
  { composers = 'apollo' }: PublicationRequest,
  signal: AbortSignal,
): Promise<BlobReference> {
  const write = (text: string): Promise<BlobReference> => writeTextBlob(store, text, signal);
  const subgraphs = candidate.map(async ({ name, version, commit, routing, sdl }) => ({
    name,
    schema: await write(sdl),
    version,
    commit,
    routing,
  }));
  const release: PublishedRelease = {
    subgraphs: await Promise.all(subgraphs),
    supergraph: await write(supergraphSdl),
    apiSchema: await write(apiSchema),
    contracts: [],
    hints: hintsOf(composed.diagnostics),
    composers: composerVersions(composers),
  };
  return write(encodeRelease(release));
}

const MAX_HINTS = 1000;
const MAX_HINT_CHARACTERS = 4096;

function hintsOf(diagnostics: readonly ReportedDiagnostic[]): readonly string[] {
  return diagnostics.slice(0, MAX_HINTS).map((hint) => formatDiagnostic(hint).slice(0, MAX_HINT_CHARACTERS));
}

function approvalsOf(report: Report | undefined): readonly RecordedApproval[] {
  return (report?.changes ?? []).flatMap(({ code, coordinate, approval }) =>
    approval ? [{ change: `${code} ${coordinate}`, ...approval }] : [],
  );
}

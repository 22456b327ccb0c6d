import {
  composeBy,
  composerVersions,
  DEFAULT_CHECK_RULES,
  formatDiagnostic,
  outcomeOf,
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
  type DeclaredContract,
  type LogName,
  type PublishedContract,
  type PublishedRelease,
  type PublishedSubgraph,
  type RegistryStore,
} from '@trellis/registry';
import { readPublishedGraph, type PublishedGraph } from '../registry/published-graph.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import { composedOf, type ComposedGraph } from '../supergraph/composed-graph.ts';
import { contractsOf, diagnosticsOfContracts } from '../supergraph/contracts-of.ts';
import { emptyReport } from '../supergraph/empty-report.ts';
import { judgements, type ReleaseJudge } from './judgements.ts';
import { PublicationRejected } from './publication-rejected.ts';
import { approvalsOf } from './recorded-approvals.ts';
import { writeVerdict } from './write-verdict.ts';
import {
  candidateOf,
  isPublished,
  type GraphPublication,
  type ReleaseCandidate,
} from './release-candidate.ts';

/** What is to be published, and what it is judged by. */
export interface PublicationRequest extends GraphPublication {
  /** Whether what breaks clients is rejected. @default true; false in development, where they change with it */
  readonly isChecked?: boolean;
  /** @default no approvals, no excluded clients */
  readonly rules?: CheckRules;
  /** Files and folders of recorded operations. */
  readonly operations?: readonly string[];
  /** The `gateway.yaml` in force. */
  readonly limits?: string | undefined;
  /** The schemas of subgraphs as they run; of others, what was published runs. @default nothing is known of what runs */
  readonly running?: ReadonlyMap<string, string> | undefined;
  readonly now?: () => Date;
  /** Who composes. @default Apollo's composer alone */
  readonly composers?: Composers | undefined;
  /** @default composes on the thread that calls, and by the second composer in one of its own */
  readonly compose?: (
    composers: Composers,
    subgraphs: readonly SubgraphSchema[],
  ) => Promise<ComparedComposition>;
  /** @default judges on the thread that calls */
  readonly judge?: ReleaseJudge;
}

/** What was published. */
export interface Publication extends Appended {
  /** Undefined for the first release of a log, and for what is not checked, where composing warns of nothing. */
  readonly report: Report | undefined;
  readonly sources: Sources;
  /** Of the release that is served now. */
  readonly contracts: readonly DeclaredContract[];
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
  let contracts: readonly DeclaredContract[] = [];
  const { store, trust, signer, otherSigners, actor } = access;
  const now = request.now ?? (() => new Date());
  const appended = await appendRecord(
    { store, log, trust, signer, otherSigners, signal, now },
    async (head) => {
      const base = head && (await readPublishedGraph(store, head.record.release, formatLogName(log), signal));
      const candidate = candidateOf(base, request, log);
      contracts = candidate.contracts;
      if (base && isPublished(base, candidate)) return 'unchanged';
      judged = await judge(base, candidate, request, log, now());
      const release = await writeRelease(store, candidate, judged, signal);
      return {
        release,
        verdict: await writeVerdict(store, judged.report, signal),
        routing: head?.record.routing ?? [],
        variants: head?.record.variants ?? [],
        action: 'publish',
        actor,
        approvals: approvalsOf(judged.report),
      };
    },
  );
  return { ...appended, report: judged?.report, sources: judged?.composed.sources ?? new Map(), contracts };
}

interface Judged {
  readonly composed: ComposedGraph;
  readonly supergraphSdl: string;
  readonly apiSchema: string;
  /** In the order of the candidate's. */
  readonly contracts: readonly ComposedContract[];
  readonly report: Report | undefined;
  /** Those that have composed. */
  readonly composers: Composers;
}

async function judge(
  base: PublishedGraph | undefined,
  candidate: ReleaseCandidate,
  request: PublicationRequest,
  log: LogName,
  now: Date,
): Promise<Judged> {
  const { composed, supergraphSdl, contracts, composers } = await composeCandidate(candidate, request);
  const { sources } = composed;
  const { isChecked = true, judge: by = judgements } = request;
  const report = base && isChecked ? await check(base, composed, request, log, now) : warningsOf(composed);
  const outcome = report ? outcomeOf(report) : 'passed';
  if (report && outcome !== 'passed') throw new PublicationRejected(outcome, report, sources);
  if (base && request.running) {
    const target = { supergraphSdl, subgraphs: candidate.subgraphs };
    const violations = await by.guardRelease(target, base, request.running);
    if (violations.length > 0)
      throw new PublicationRejected('failed', report ?? emptyReport('check'), sources, violations);
  }
  const apiSchema = await by.printServedApi(supergraphSdl, request.limits);
  return { composed, supergraphSdl, apiSchema, contracts, report, composers };
}

interface ComposedContract {
  readonly rules: DeclaredContract;
  readonly supergraphSdl: string;
  readonly apiSchema: string;
}

/** @throws PublicationRejected where the graph or one of its contracts does not compose */
async function composeCandidate(
  { subgraphs, contracts }: ReleaseCandidate,
  { composers = 'apollo', compose = composeBy, judge: by = judgements }: PublicationRequest,
): Promise<Pick<Judged, 'composed' | 'supergraphSdl' | 'contracts' | 'composers'>> {
  const compared = await compose(composers, subgraphs);
  const whole = composedOf(subgraphs, compared);
  const { supergraphSdl, sources } = whole;
  const results = supergraphSdl === undefined ? [] : await by.composeContracts(supergraphSdl, contracts);
  const diagnostics = [...whole.diagnostics, ...diagnosticsOfContracts(results)];
  if (supergraphSdl === undefined || diagnostics.some(({ severity }) => severity === 'error'))
    throw new PublicationRejected('failed', { ...emptyReport('check'), diagnostics }, sources);
  const composed = contracts.flatMap((rules, index) => {
    const result = results[index];
    return result?.kind === 'composed' ? [{ rules, ...result }] : [];
  });
  return {
    composed: { ...whole, diagnostics, contracts },
    supergraphSdl,
    contracts: composed,
    composers: compared.isFirstAlone ? 'apollo' : composers,
  };
}

/** What is compared with nothing has the warnings of its composition. */
function warningsOf({ diagnostics }: ComposedGraph): Report | undefined {
  const isWarned = diagnostics.some(({ severity }) => severity === 'warning');
  return isWarned ? { ...emptyReport('compose'), diagnostics } : undefined;
}

async function check(
  base: PublishedGraph,
  composed: ComposedGraph,
  {
    rules: agreed = DEFAULT_CHECK_RULES,
    operations = [],
    limits,
    judge: by = judgements,
  }: PublicationRequest,
  log: LogName,
  now: Date,
): Promise<Report> {
  const name = formatLogName(log);
  const rules = { ...agreed, contracts: contractsOf(composed, agreed) };
  const given = { base, baseName: name, composed, rules, operations, limits, limitsAgainst: undefined };
  const report = await by.checkGraphs({ ...given, place: name, now });
  if (typeof report === 'string') throw new RegistryError('INVALID_RECORD', report.trim());
  return report;
}

/** The texts first, the release last; one at a time, as others use the store, too. */
async function writeRelease(
  store: RegistryStore,
  candidate: ReleaseCandidate,
  { supergraphSdl, apiSchema, contracts, composed, composers }: Judged,
  signal: AbortSignal,
): Promise<BlobReference> {
  const write = (text: string): Promise<BlobReference> => writeTextBlob(store, text, signal);
  const subgraphs: PublishedSubgraph[] = [];
  for (const { name, version, commit, routing, sdl } of candidate.subgraphs)
    subgraphs.push({ name, schema: await write(sdl), version, commit, routing });
  const written: PublishedContract[] = [];
  for (const { rules, ...texts } of contracts) {
    const supergraph = await write(texts.supergraphSdl);
    written.push({ ...rules, supergraph, apiSchema: await write(texts.apiSchema) });
  }
  const release: PublishedRelease = {
    subgraphs,
    supergraph: await write(supergraphSdl),
    apiSchema: await write(apiSchema),
    contracts: written,
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

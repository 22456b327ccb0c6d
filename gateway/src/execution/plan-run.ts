import type { QueueCaller } from '@trellis/admission';
import type { CachePolicy } from '../caching/cache-policy.ts';
import type { Variables } from '../operation/document/variables.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { EntityCalls } from './entity-calls.ts';
import type { DataObject, FailureReason } from './failure.ts';
import type { IntrospectionPlaces } from './introspection-places.ts';
import type { Introspector } from '../plan/introspector.ts';
import type { FetchStep } from '../plan/fetch-step.ts';
import type { TargetOrigins } from '../plan/plan-steps.ts';
import type { Passthrough } from '../plan/passthrough.ts';
import type { SubgraphClient, SubgraphHeaders } from '../subgraphs/subgraph-client.ts';

/** What one run of a plan needs. */
export interface ExecutionContext {
  readonly variables: Variables;
  /** The headers that go to a subgraph with this request. Asked once per subgraph and request. */
  headersFor(subgraph: string): SubgraphHeaders | Promise<SubgraphHeaders>;
  readonly subgraphClient: SubgraphClient;
  /** In whose share of the subgraphs it counts: of executions that many wait for, whoever began them. @default the gateway's own */
  readonly sharedBy?: QueueCaller | undefined;
  /** Requests to subgraphs that it may make; what the plan makes is known to be no more. @default any number */
  readonly maxCalls?: number | undefined;
  /** Absent where no operation asks for the schema. */
  readonly introspector?: Introspector | undefined;
  /** Aborted when the client leaves or the request's time is over: calls in flight are ended. */
  readonly signal: AbortSignal;
}

/** An error of a subgraph that made nothing null. */
export interface LooseError {
  readonly step: FetchStep;
  readonly reason: FailureReason;
}

/** One run of a plan: what it collects. */
export interface PlanRun {
  readonly supergraph: Supergraph;
  readonly context: ExecutionContext;
  /** What subgraphs answered, merged: by the keys of the plan, not yet by the client's. */
  readonly root: DataObject;
  looseErrors: readonly LooseError[];
  /** All errors that subgraphs answered with, wherever they were placed; without those that were told without a field. */
  subgraphErrors: readonly FailureReason[];
  /** How long what subgraphs answered may be kept, as far as any of them says so in its answer. */
  cachePolicy: CachePolicy | undefined;
  /** Whether a subgraph said nothing of how long its answer may be kept. */
  hasUndated: boolean;
  /** Whether anything is missing: then the answer is completed by the careful way. */
  failed: boolean;
  /** Whether a subgraph sent a backslash: then strings may hold what JSON escapes. */
  hasEscapes: boolean;
  /** Decides whether the response to the only fetch is the client's; absent where it must be read. */
  passthrough: Passthrough | undefined;
  /** A response that is passed on as it came, and how many objects are in it. */
  passedThrough: { readonly body: Buffer; readonly objects: number } | undefined;
  /** Whether subgraphs sent nothing but ASCII; escapes may still stand for other characters. */
  isAscii: boolean;
  /** Requests to subgraphs that the plan makes, and those that are made beside them as the data want it. */
  calls: number;
  /** Rises whenever the data changes. */
  version: number;
  /** Objects found at paths, as long as the data is of that version. */
  targets: { readonly version: number; readonly byPath: Map<string, readonly DataObject[]> };
  readonly origins: TargetOrigins;
  /** Objects found at paths whose origin is known. */
  settledTargets: Map<string, readonly DataObject[]> | undefined;
  /** Where answers of introspection belong in the answer. Made with the first of them. */
  introspection: IntrospectionPlaces | undefined;
  /** What entities were asked for. Made with the first of them. */
  entityCalls: EntityCalls | undefined;
  headersFor(subgraph: string): SubgraphHeaders | Promise<SubgraphHeaders>;
  /** Told of each fetch when it is over, well or not. */
  fetchDone: ((step: FetchStep) => void) | undefined;
}

const unknownOrigins: TargetOrigins = new Map();
const NO_ERRORS: readonly FailureReason[] = [];
/** Of a version that data never has. */
const NO_TARGETS: PlanRun['targets'] = { version: -1, byPath: new Map() };

/**
 * Begins a run.
 *
 * @param origins where the objects of entity fetches come from, if that is known
 */
export function startRun(
  supergraph: Supergraph,
  context: ExecutionContext,
  root: DataObject,
  origins: TargetOrigins = unknownOrigins,
): PlanRun {
  const headers = new Map<string, SubgraphHeaders | Promise<SubgraphHeaders>>();
  return {
    supergraph,
    context,
    root,
    looseErrors: [],
    subgraphErrors: NO_ERRORS,
    cachePolicy: undefined,
    hasUndated: false,
    failed: false,
    hasEscapes: false,
    isAscii: true,
    passthrough: undefined,
    passedThrough: undefined,
    calls: 0,
    version: 0,
    targets: NO_TARGETS,
    origins,
    settledTargets: undefined,
    fetchDone: undefined,
    entityCalls: undefined,
    introspection: undefined,
    headersFor(subgraph) {
      let known = headers.get(subgraph);
      if (!known) headers.set(subgraph, (known = context.headersFor(subgraph)));
      return known;
    },
  };
}

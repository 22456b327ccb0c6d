import type { GraphQLError } from 'graphql';
import type { Authenticator } from '../identity/authenticator.ts';
import type { ProtectedResource } from '../identity/protected-resource.ts';
import type { Caller, CallerShares } from '../identity/caller.ts';
import type { FairTurns } from '../load/waiting-line.ts';
import type { ExecutionGate } from '../load/execution-gate.ts';
import type { SharedExecutions } from '../load/shared-executions.ts';
import type { HeaderDisclosure } from '../subgraphs/header-disclosure.ts';
import type { DisclosureOf } from '../subgraphs/subgraph-failure.ts';
import type { CircuitBreaker } from '../subgraphs/circuit-breaker.ts';
import type { SubgraphClient } from '../subgraphs/subgraph-client.ts';
import type { OperationLimits } from '../settings/limits.ts';
import type { RateLimiter } from '../load/rate-limiter.ts';
import type { PlanningBudget } from '../planning/threads/planning-budget.ts';
import type { OperationPlanner } from '../planning/operation-planner.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { SupergraphStore } from '../supergraph/supergraph-store.ts';
import type { ErrorBehavior, RequestContext } from '../request/context.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import type { PipelineResult } from './operation-result.ts';
import type { ErrorPolicy } from './format-errors.ts';
import type { Explanation } from './explanation.ts';
import type { KnownOperations } from '../planning/generation-plans.ts';
import type { OperationCache } from '../operation/operation-cache.ts';
import type { RunKind, RunTracer } from './run-tracer.ts';
import type { OperationStreams } from './result-stream.ts';
import type { PersistedQueryPolicy } from './persisted-query.ts';
import type { StageName } from './stages.ts';
import type { ResponseCaching } from '../response-cache/response-cache.ts';
import type { HeadersForSubgraphs } from '../subgraphs/subgraph-headers.ts';

/** What the pipeline reports to its host, for logs and metrics. Nothing in it is secret. */
export interface PipelineObserver {
  /** An access token was rejected; `reason` is not for the client. */
  invalidToken(requestId: string, reason: string): void;
  /** A failure of ours or of a subgraph, whole. */
  internalError(requestId: string, error: GraphQLError): void;
  /** An operation, or an event of a subscription, returned so many objects. */
  objectsReturned(kind: 'query' | 'mutation' | 'subscription', objects: number): void;
  /**
   * An event or a tick has its result.
   *
   * @param outcome of `operationOutcome`
   * @param seconds since the event came, or the tick began
   */
  streamRunEnded(kind: RunKind, outcome: string, seconds: number): void;
  /** A run begins a stage. Absent where no one wants to know. */
  stageEntered?(requestId: string, kind: RunKind, stage: StageName): void;
  /** Headers of subgraphs that found no room in the response. */
  headersDropped(requestId: string, names: readonly string[]): void;
  /** Errors of one operation beyond those that were reported one by one, or that its client is shown. */
  furtherErrors(requestId: string, errors: readonly GraphQLError[]): void;
}

/** A client that has sent a field. */
export interface FieldUser {
  readonly name: string;
  /** Empty where it does not say. */
  readonly version: string;
  readonly requests: number;
  /** ISO 8601. */
  readonly lastUsed: string;
}

/** Who has sent a field since the processes of the gateway have started. */
export interface FieldUse {
  /** The busiest first, 200 at most. */
  readonly users: readonly FieldUser[];
  /** Clients beyond those. */
  readonly further: number;
  /** Workers that did not say in time what they know; 0 where nothing is missing. */
  readonly missingWorkers: number;
}

/** Counts which operations are sent. */
export interface UsageRecording {
  /**
   * Counts an operation where it has been admitted. A stream counts when it is opened.
   *
   * @param sinceMs when its run began, by `performance.now()`
   */
  record(context: RequestContext, result: PipelineResult, sinceMs: number): void;
  /** Who has sent a field, to all workers. Never rejects. Absent outside of development. */
  usersOf?(field: string): Promise<FieldUse>;
}

/** What of a request the choice of a generation depends on, beside its caller. */
export type RoutedRequest = Pick<RequestContext, 'headers' | 'address'>;

/** Which of several generations serves a request, and for whom. */
export interface RoutedOperation {
  readonly supergraph: Supergraph;
  readonly caller: Caller;
  /** The text of its document, where that was found. */
  text?: string;
}

/** What of a run shows how a generation does. */
export interface RoutedRun {
  readonly context: Pick<RequestContext, 'address'>;
  /** Absent where it was rejected. */
  readonly admitted: AdmittedOperation | undefined;
  /** Absent where it was rejected before it was routed. */
  readonly routed: RoutedOperation | undefined;
  /** When it began to execute, by `performance.now()`. Absent where it did not. */
  readonly executingSinceMs: number | undefined;
  /** Whether the operator has listed its operation. */
  readonly isListed: boolean;
}

/** Compares two generations by what they respond with. */
export interface GenerationTrial {
  /** Passes a result on, and looks at it. */
  observe(run: RoutedRun, responding: Promise<PipelineResult>): Promise<PipelineResult>;
}

/** Several generations that serve at the same time. */
export interface ActiveGenerations {
  /** The generation for a request. Never rejects. */
  choose(request: RoutedRequest, caller: Caller): Supergraph | Promise<Supergraph>;
  /** Absent where nothing is compared. */
  readonly trial: GenerationTrial | undefined;
  /** Names of the request headers that choose one of them. */
  readonly varyOn: readonly string[];
}

/** Whether several generations serve now: a running gateway may begin and end with that. */
export interface GenerationRouting {
  /** Absent where there is one generation, as nearly always. */
  readonly active: ActiveGenerations | undefined;
}

/** Which responses are allowed, and what they may disclose. */
export interface ResponsePolicy {
  /** Characters of the data as JSON. */
  readonly maxCharacters: number;
  /** What of it is in `extensions`. */
  readonly shows: { readonly cost: boolean; readonly plan: boolean; readonly timings: boolean };
  /** Whether any of that is. */
  readonly showsAny: boolean;
  /** Whether requests may ask for an explanation of themselves. */
  readonly explains: boolean;
  /** What this request wants to have explained. Absent where it wants nothing, as most do. */
  readonly explanation?: Explanation | undefined;
  /** Whether clients see by which version of a registry they are served. */
  readonly showsVersion: boolean;
  /** Names of the request headers that decide what is answered. RFC 9110 §12.5.5. */
  readonly varyOn: readonly string[];
  /** Names of the request headers that may say who asks: where one of them is sent, the response is for this client alone. */
  readonly privateFor: readonly string[];
  /** Address of the metadata of the graph as a resource; absent where there are none. */
  readonly resourceMetadata?: string | undefined;
}

/** All that the stages work with; the same for every request until the configuration changes. */
export interface PipelineServices {
  readonly supergraphs: SupergraphStore;
  readonly generations: GenerationRouting;
  /** The operationCache of one generation of the graph. */
  readonly operationCacheOf: (supergraph: Supergraph) => OperationCache;
  readonly persistedQueries: PersistedQueryPolicy;
  readonly knownOperations: KnownOperations;
  readonly limits: OperationLimits;
  readonly rateLimiter: RateLimiter;
  readonly authenticator: Authenticator;
  /** Absent where no token is taken, or the address of the graph is not known. */
  readonly protectedResource: ProtectedResource | undefined;
  /** Whether anonymous callers are rejected whatever they ask for. */
  readonly requiresToken: boolean;
  readonly planner: OperationPlanner;
  /** What each caller may have done for operations that are new. Absent where it is unbounded. */
  readonly planningBudget: PlanningBudget | undefined;
  readonly subgraphClient: SubgraphClient;
  /** The circuit breaker of a subgraph, which streams share with requests; undefined where it has none. */
  readonly breakerOf: (subgraph: string, url: string) => CircuitBreaker | undefined;
  /** Whose share callers are counted in. */
  readonly shares: CallerShares;
  readonly executionGate: ExecutionGate;
  readonly textTurns: FairTurns;
  /** When events of subscriptions and ticks of live queries begin. */
  readonly eventTurns: FairTurns;
  readonly sharedExecutions: SharedExecutions;
  readonly headersForSubgraphs: HeadersForSubgraphs;
  readonly streams: OperationStreams;
  /** What clients see of the errors of a subgraph. Absent where the defaults hold for all of them. */
  readonly disclosureOf: DisclosureOf | undefined;
  /** Which headers of subgraphs clients get. Absent where none. */
  readonly headerDisclosure: HeaderDisclosure | undefined;
  readonly errorPolicy: ErrorPolicy;
  /** What errors do to non-null positions, where a request does not say. */
  readonly onError: ErrorBehavior;
  readonly responsePolicy: ResponsePolicy;
  readonly observer: PipelineObserver;
  /** Absent where no responses are stored. */
  readonly responseCaching: ResponseCaching | undefined;
  /** Absent where no usage is recorded. */
  readonly usage: UsageRecording | undefined;
  /** Absent where nothing is traced. */
  readonly tracer: RunTracer | undefined;
}

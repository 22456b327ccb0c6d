import type { QueueCaller } from '@trellis/admission';
import type { CachePolicy } from '../caching/cache-policy.ts';
import type { Variables } from '../operation/document/variables.ts';
import type { FetchStep } from '../plan/fetch-step.ts';
import type { Introspector } from '../plan/introspector.ts';
import type { Passthrough } from '../plan/passthrough.ts';
import type { Plan } from '../plan/plan.ts';
import type { Uploads } from '../request/uploads.ts';
import type { ErrorBehavior } from '../request/error-behavior.ts';
import type { DisclosureOf } from '../subgraphs/error-disclosures.ts';
import type { SubgraphClient, SubgraphHeaders } from '../subgraphs/subgraph-client.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { EntityCalls } from './entity-calls.ts';
import type { IntrospectionPlaces } from './introspection-places.ts';
import { MergedData } from './merged-data.ts';

/** What one run of a plan needs. */
export interface ExecutionContext {
  readonly variables: Variables;
  /** The headers that go to a subgraph with this request. Asked once per subgraph and request. */
  headersFor(subgraph: string): SubgraphHeaders | Promise<SubgraphHeaders>;
  readonly subgraphClient: SubgraphClient;
  /** What clients see of the errors of a subgraph. @default the defaults of the settings */
  readonly disclosureOf?: DisclosureOf | undefined;
  /** Whose share of the subgraphs it counts in: of shared executions, that of the caller who began them. @default the gateway's own */
  readonly sharedBy?: QueueCaller | undefined;
  /** Requests to subgraphs that it may make; what the plan makes is known to be no more. @default any number */
  readonly maxCalls?: number | undefined;
  /** What errors do to non-null positions. @default PROPAGATE */
  readonly onError?: ErrorBehavior | undefined;
  /** That of requests without `onError`, for clients that ask. @default PROPAGATE */
  readonly defaultOnError?: ErrorBehavior | undefined;
  /** Files that its variables stand for. Absent where there are none. */
  readonly uploads?: Uploads | undefined;
  /** Absent where no operation asks for the schema. */
  readonly introspector?: Introspector | undefined;
  /** Aborted when the client leaves or the request's time is over: calls in flight are ended. */
  readonly signal: AbortSignal;
}

/** One run of a plan: the data, and what its fetches note of responses. */
export class PlanRun {
  readonly plan: Plan;
  readonly context: ExecutionContext;
  readonly data: MergedData;
  /** How long subgraphs allow their responses to be stored, as far as any of them says so. */
  cachePolicy: CachePolicy | undefined;
  /** Whether a subgraph has not said how long its response may be stored. */
  hasUndated = false;
  /** Whether a subgraph sent a backslash: then strings may hold what JSON escapes. */
  hasEscapes = false;
  /** Whether subgraphs sent nothing but ASCII; escapes may still stand for other characters. */
  isAscii = true;
  /** Decides whether the response to the only fetch is the client's; absent where it must be read. */
  passthrough: Passthrough | undefined;
  /** A response that is passed on as it came, and how many objects are in it. */
  passedThrough: { readonly body: Buffer; readonly objects: number } | undefined;
  /** Requests to subgraphs that the plan makes, and those that are made beside them as the data want it. */
  calls: number;
  /** Where answers of introspection belong in the response. Made with the first of them. */
  introspection: IntrospectionPlaces | undefined;
  /** What entities were asked for. Made with the first of them. */
  entityCalls: EntityCalls | undefined;
  /** Called with each fetch when it is over, well or not. */
  fetchDone: ((step: FetchStep) => void) | undefined;
  #headers: Map<string, SubgraphHeaders | Promise<SubgraphHeaders>> | undefined;

  constructor(plan: Plan, context: ExecutionContext) {
    this.plan = plan;
    this.context = context;
    this.data = new MergedData(plan.supergraph.types, plan.origins);
    this.calls = plan.subgraphCalls;
  }

  get supergraph(): Supergraph {
    return this.plan.supergraph;
  }

  get onError(): ErrorBehavior {
    return this.context.onError ?? 'PROPAGATE';
  }

  /** Whether nothing more needs to be fetched: the response is the error that there is. */
  get isHalted(): boolean {
    return this.data.failed && this.onError === 'HALT';
  }

  /** The headers that go to a subgraph: made once. */
  headersFor(subgraph: string): SubgraphHeaders | Promise<SubgraphHeaders> {
    const byName = (this.#headers ??= new Map());
    let known = byName.get(subgraph);
    if (!known) byName.set(subgraph, (known = this.context.headersFor(subgraph)));
    return known;
  }
}

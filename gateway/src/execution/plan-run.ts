import type { QueueCaller } from '@trellis/runtime/admission';
import type { WholeBody } from '@trellis/http1';
import type { CachePolicy } from '../caching/cache-policy.ts';
import { ownVariable, type Variables } from '../operation/document/decided-conditions.ts';
import type { Introspector } from '../plan/introspection-question.ts';
import type { FetchStep, Plan } from '../plan/plan.ts';
import type { Passthrough } from '../plan/passthrough.ts';
import type { ErrorBehavior } from '../request/context.ts';
import type { ForwardedHeaders } from '../plan/forwarded-headers.ts';
import type { HeaderDisclosure } from '../subgraphs/header-disclosure.ts';
import type { DisclosureOf } from '../subgraphs/subgraph-failure.ts';
import type { Uploads } from '../request/uploads.ts';
import type { SubgraphClient, SubgraphHeaders } from '../subgraphs/subgraph-client.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { IntrospectionPlaces } from './introspection-places.ts';
import { MergedData } from './merged-data.ts';
import type { DataObject } from './failure.ts';
import type { PreparedStream } from '../plan/prepared-operation.ts';
import { StreamedTargets, type StreamWindows } from './streamed-targets.ts';
import { NOTHING_MISSING, type RepresentationBatch } from './representations.ts';

/**
 * Called when a fetch wants entities.
 *
 * @param objects that they are for
 * @param asked how many entities the subgraph has to be asked for: the others are those of equal objects, or are known from before
 */
export type EntityObserver = (step: FetchStep, objects: number, asked: number) => void;

/** What one run of a plan needs. */
export interface ExecutionContext {
  readonly variables: Variables;
  /** The headers that go to a subgraph with this request. Asked once per subgraph and request. */
  headersFor(subgraph: string): SubgraphHeaders | Promise<SubgraphHeaders>;
  readonly subgraphClient: SubgraphClient;
  /** What clients see of the errors of a subgraph. @default the defaults of the settings */
  readonly disclosureOf?: DisclosureOf | undefined;
  /** Which headers of subgraphs the client gets. @default none */
  readonly headerDisclosure?: HeaderDisclosure | undefined;
  /** Whose share of the subgraphs it counts in: of shared executions, that of the caller who began them. @default the gateway's own */
  readonly sharedBy?: QueueCaller | undefined;
  /** Requests to subgraphs that it may make; what the plan makes is known to be no more. @default any number */
  readonly maxRequests?: number | undefined;
  /** What errors do to non-null positions. @default PROPAGATE */
  readonly onError?: ErrorBehavior | undefined;
  /** That of requests without `onError`, for clients that ask. @default PROPAGATE */
  readonly defaultOnError?: ErrorBehavior | undefined;
  /** Files that its variables stand for. Absent where there are none. */
  readonly uploads?: Uploads | undefined;
  /** Called with each fetch of entities. Absent where it is not observed. */
  readonly entitiesWanted?: EntityObserver | undefined;
  /** Absent where no operation asks for the schema. */
  readonly introspector?: Introspector | undefined;
  /** Aborted when the client disconnects or the request's deadline passes: subgraph requests in flight are aborted. */
  readonly signal: AbortSignal;
}

/** A run that goes on with the data of another one. */
export interface RunWindow {
  readonly of: PlanRun;
  readonly windows: StreamWindows;
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
  passedThrough: { readonly body: WholeBody; readonly objects: number } | undefined;
  /** Requests to subgraphs that the plan makes, and those that are made beside them as the data want it. */
  readonly subgraphRequests: { made: number };
  /** Where results of introspection belong in the response. Made with the first of them. */
  introspection: IntrospectionPlaces | undefined;
  /** Headers of subgraphs for the client. Made with the first of them. */
  headers: ForwardedHeaders | undefined;
  /** What entities were asked for. Made with the first of them. */
  entityRequests: EntityRequests | undefined;
  /** Called with each fetch when it is over, well or not. */
  fetchDone: ((step: FetchStep) => void) | undefined;
  #headers: Map<string, SubgraphHeaders | Promise<SubgraphHeaders>> | undefined;

  readonly #isOfWindow: boolean;

  /** @param window what it goes on with: a run, and the items of a streamed list that it fetches for */
  constructor(plan: Plan, context: ExecutionContext, window?: RunWindow) {
    this.plan = plan;
    this.context = context;
    this.#isOfWindow = window !== undefined;
    this.subgraphRequests = window ? window.of.subgraphRequests : { made: plan.subgraphRequests };
    const streamed =
      plan.streams.size > 0
        ? new StreamedTargets(plan.shape, (stream) => this.countOf(stream), window?.windows)
        : undefined;
    this.data = new MergedData(plan.supergraph.types, plan.origins, streamed, window?.of.data.root);
  }

  /** How many items of a streamed list are part of this run's response: of those in a window, all. */
  initialCountOf(stream: PreparedStream): number {
    return this.#isOfWindow ? Number.POSITIVE_INFINITY : this.countOf(stream);
  }

  /** Items of a streamed list that come at once. */
  countOf({ initialCount }: PreparedStream): number {
    if (typeof initialCount === 'number') return initialCount;
    const count = ownVariable(this.context.variables, initialCount);
    return typeof count === 'number' ? count : 0;
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

/** What {@link EntityRequests} leaves to others. */
export interface EntityFetcher {
  /**
   * Asks about the objects of a batch, and merges what comes back.
   *
   * @returns the entities by the index of the representation; nothing when anything was wrong
   * @throws the signal's reason when the run is aborted
   */
  ask(
    step: FetchStep,
    batch: RepresentationBatch,
    variables: string,
  ): Promise<readonly unknown[] | undefined>;
  /** Merges an entity that was asked for before into more objects. */
  place(step: FetchStep, objects: readonly DataObject[], entity: unknown): void;
  /** Called with each batch, and how many of its entities are asked for with it. Absent where it is not observed. */
  readonly wanted?: ((step: FetchStep, batch: RepresentationBatch, asked: number) => void) | undefined;
}

/**
 * The entity fetches of one run that ask for plain values. Fetches at several paths often ask one subgraph for the same
 * fields: those that begin in the same turn of the event loop become one request, and of an entity that was asked for
 * before nothing is asked again.
 */
export class EntityRequests {
  readonly #fetcher: EntityFetcher;
  readonly #byKey = new Map<string, KnownEntities>();

  constructor(fetcher: EntityFetcher) {
    this.#fetcher = fetcher;
  }

  /**
   * Brings what the step asks for to the objects of the batch.
   *
   * @param key what is asked, without the representations
   * @param variables JSON members beside the representations
   * @throws the signal's reason when the run is aborted
   */
  fetch(step: FetchStep, key: string, batch: RepresentationBatch, variables: string): Promise<unknown> {
    let known = this.#byKey.get(key);
    if (!known) this.#byKey.set(key, (known = new KnownEntities(this.#fetcher, step, variables)));
    const before = known.size;
    const done = known.fetch(batch);
    this.#fetcher.wanted?.(step, batch, known.size - before);
    return done;
  }

  /** To be called when a mutation may have changed something. What is in flight still arrives where it was asked for. */
  forget(): void {
    this.#byKey.clear();
  }
}

/** One request: it grows until it is sent, and what is coalesced into it after that waits for its response. */
interface EntityRequest {
  readonly texts: string[];
  readonly targets: DataObject[][];
  readonly done: Promise<void>;
  /** Once it has its response. */
  entities: readonly unknown[] | undefined;
}

/** Where an entity was asked for. */
interface Asked {
  readonly request: EntityRequest;
  readonly index: number;
}

/** What was asked of one subgraph by one selection, by representation. */
class KnownEntities {
  readonly #fetcher: EntityFetcher;
  readonly #step: FetchStep;
  readonly #variables: string;
  readonly #byText = new Map<string, Asked>();
  #open: EntityRequest | undefined;

  constructor(fetcher: EntityFetcher, step: FetchStep, variables: string) {
    this.#fetcher = fetcher;
    this.#step = step;
    this.#variables = variables;
  }

  /** How many entities have been asked for. */
  get size(): number {
    return this.#byText.size;
  }

  fetch({ texts, targets }: RepresentationBatch): Promise<unknown> {
    const waitsFor = new Set<EntityRequest>();
    for (const [index, objects] of targets.entries()) {
      const { request, index: at } = this.#askFor(texts[index] ?? '');
      if (request.entities) this.#fetcher.place(this.#step, objects, request.entities[at]);
      else {
        request.targets[at]?.push(...objects);
        waitsFor.add(request);
      }
    }
    const [only] = waitsFor;
    return only && waitsFor.size === 1 ? only.done : Promise.all(Array.from(waitsFor, ({ done }) => done));
  }

  #askFor(text: string): Asked {
    let asked = this.#byText.get(text);
    if (!asked) {
      const request = (this.#open ??= this.#begin());
      asked = { request, index: request.texts.push(text) - 1 };
      request.targets.push([]);
      this.#byText.set(text, asked);
    }
    return asked;
  }

  #begin(): EntityRequest {
    const request: EntityRequest = {
      texts: [],
      targets: [],
      done: endOfTurn().then(() => this.#send(request)),
      entities: undefined,
    };
    return request;
  }

  async #send(request: EntityRequest): Promise<void> {
    this.#open = undefined;
    const { texts, targets } = request;
    request.entities = await this.#fetcher.ask(
      this.#step,
      { texts, targets, missing: NOTHING_MISSING },
      this.#variables,
    );
    if (!request.entities) for (const text of texts) this.#byText.delete(text); // the next one may fare better
  }
}

/** When all that can begin now has begun: promises that are settled come first. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

import type { EntityObserver } from '../execution/plan-run.ts';
import type { FetchStep, Plan } from '../plan/plan.ts';
import type { SubgraphClient } from '../subgraphs/subgraph-client.ts';

/**
 * What is explained. `run`: how an operation came to its response. `estimate`: what it would cost and how it would run; it is not
 * executed. `schema`: with the schema, who owns each field, what it costs and what it demands.
 */
export const EXPLANATION_KINDS = ['run', 'estimate', 'schema'] as const;

/** What an explanation is about. */
export type ExplanationKind = (typeof EXPLANATION_KINDS)[number];

/** A request to a subgraph that was made for an operation. */
export interface ExplainedCall {
  readonly subgraph: string;
  /** JSON: the operation, then its variables. */
  readonly body: string;
  /** Milliseconds since the request was taken up. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Of HTTP; absent where there was no response. */
  readonly status: number | undefined;
  /** Of the response. */
  readonly bytes: number;
}

/** What became of the entities that a fetch wanted. */
export interface WantedEntities {
  /** Objects that they were for. */
  readonly wanted: number;
  /** Objects whose entity was not asked for: it is that of an equal object, or was known from before. */
  readonly reused: number;
}

/** Whether a response was cached. */
export type CacheOutcome = 'hit' | 'miss';

/** Beyond so many, calls are not recorded: lists of lists may need thousands. */
const MAX_CALLS = 1_000;

/** What one request wants to have explained, and what has been found out. */
export class Explanation {
  readonly kind: ExplanationKind;
  readonly #calls: ExplainedCall[] = [];
  readonly #entities = new Map<FetchStep, WantedEntities>();
  /** By what they ask for: the fetches that share requests, by the beginning of their bodies. */
  readonly #sharing = new Map<string, Set<string>>();
  readonly #cached = new Map<Plan, CacheOutcome>();
  readonly #startedAt = performance.now();

  constructor(kind: ExplanationKind) {
    this.kind = kind;
  }

  /** The requests to subgraphs so far, in the order in which they ended. */
  get calls(): readonly ExplainedCall[] {
    return this.#calls;
  }

  /** Notes what a fetch wanted of entities. */
  readonly noteEntities: EntityObserver = (step, objects, asked) => {
    const { wanted, reused } = this.#entities.get(step) ?? NO_ENTITIES;
    this.#entities.set(step, { wanted: wanted + objects, reused: reused + objects - asked });
    if (step.mergeKey === undefined) return;
    const sharing = this.#sharing.get(step.mergeKey) ?? new Set();
    this.#sharing.set(step.mergeKey, sharing.add(step.bodyStart));
  };

  /** With what the requests of a fetch begin: with its own operation, or that of one that asks for the same of entities. */
  startsOf({ mergeKey, bodyStart }: FetchStep): readonly string[] {
    const sharing = mergeKey === undefined ? undefined : this.#sharing.get(mergeKey);
    return sharing ? [...sharing] : [bodyStart];
  }

  /** @returns nothing for a fetch that wanted none */
  entitiesOf(step: FetchStep): WantedEntities | undefined {
    return this.#entities.get(step);
  }

  /** Notes what the response cache had of an operation. */
  noteResponseCache(plan: Plan, outcome: CacheOutcome): void {
    this.#cached.set(plan, outcome);
  }

  /** @returns nothing where the response cache was not asked: its response may not be stored */
  responseCacheOf(plan: Plan): CacheOutcome | undefined {
    return this.#cached.get(plan);
  }

  /** Sends through a client, and records each request. */
  record(client: SubgraphClient): SubgraphClient {
    return {
      send: async (request) => {
        const startMs = this.#elapsedMs();
        const note = (status: number | undefined, bytes: number): void => {
          const { subgraph, body } = request;
          const durationMs = round(this.#elapsedMs() - startMs);
          if (this.#calls.length < MAX_CALLS)
            this.#calls.push({ subgraph, body, startMs, durationMs, status, bytes });
        };
        try {
          const response = await client.send(request);
          note(response.status, response.body.length);
          return response;
        } catch (error) {
          note(undefined, 0);
          throw error;
        }
      },
      close: () => client.close(),
    };
  }

  #elapsedMs(): number {
    return round(performance.now() - this.#startedAt);
  }
}

const NO_ENTITIES: WantedEntities = { wanted: 0, reused: 0 };

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

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

/** Beyond so many, calls are not recorded: lists of lists may need thousands. */
const MAX_CALLS = 1_000;

/** What one request wants to have explained, and what has been found out. */
export class Explanation {
  readonly kind: ExplanationKind;
  readonly #calls: ExplainedCall[] = [];
  readonly #startedAt = performance.now();

  constructor(kind: ExplanationKind) {
    this.kind = kind;
  }

  /** The requests to subgraphs so far, in the order in which they ended. */
  get calls(): readonly ExplainedCall[] {
    return this.#calls;
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

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

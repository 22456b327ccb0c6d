import type { GatewayErrorCode } from '../errors.ts';

/** One step of a run. */
export interface Stage {
  readonly name: string;
  /** Of a request's admission, of a stream, or of each run. */
  readonly at: 'admission' | 'stream' | 'run';
  readonly does: string;
  /**
   * What a run that ends in this stage ends with. Errors on single fields are not listed: they end no run. Nor is what can end a
   * run anywhere: its deadline passes, its client has disconnected, or it fails inside.
   */
  readonly errors: readonly GatewayErrorCode[];
}

/**
 * The stages of the pipeline, in the order in which they run. A run enters those that concern it: a query of a known text does
 * not enter `document`, an event begins with `gate`. docs/lifecycle.md has the same table.
 */
export const stages = [
  {
    name: 'place',
    at: 'admission',
    does: 'Takes a place among the operations in flight, for transports that count operations and not requests.',
    errors: ['OVERLOADED', 'RATE_LIMITED'],
  },
  {
    name: 'address rate',
    at: 'admission',
    does: 'Counts one operation against the rate limit of the client address.',
    errors: ['RATE_LIMITED'],
  },
  {
    name: 'require token',
    at: 'admission',
    does: 'With authentication.required: verifies the access token before anything is said about the text.',
    errors: ['UNAUTHENTICATED', 'AUTHENTICATION_UNAVAILABLE'],
  },
  {
    name: 'generation',
    at: 'admission',
    does: 'Where several supergraphs are served: verifies the access token, and chooses one of them.',
    errors: ['UNAUTHENTICATED', 'AUTHENTICATION_UNAVAILABLE', 'RATE_LIMITED'],
  },
  {
    name: 'persisted query',
    at: 'admission',
    does: 'Finds the text of a hash, or checks that a hash is that of its text. Where OAuth clients have lists: verifies the access token first.',
    errors: [
      'PERSISTED_QUERY_NOT_FOUND',
      'PERSISTED_QUERY_MISMATCH',
      'PERSISTED_QUERY_NOT_SUPPORTED',
      'PERSISTED_QUERY_REQUIRED',
      'CLIENT_RETIRED',
      'BAD_REQUEST',
      'UNAUTHENTICATED',
      'AUTHENTICATION_UNAVAILABLE',
      'RATE_LIMITED',
    ],
  },
  {
    name: 'document',
    at: 'admission',
    does: 'For a text that is not cached: parses it, measures what it expands to, validates it, and applies the limits of the text, all within the caller’s planning budget. Selects the operation.',
    errors: [
      'RATE_LIMITED',
      'GRAPHQL_PARSE_ERROR',
      'BAD_REQUEST',
      'QUERY_TOO_COMPLEX',
      'GRAPHQL_VALIDATION_FAILED',
    ],
  },
  {
    name: 'transport',
    at: 'admission',
    does: 'Rejects what the transport cannot carry: a mutation by GET, a subscription over plain HTTP.',
    errors: ['BAD_REQUEST', 'METHOD_NOT_ALLOWED'],
  },
  {
    name: 'variables',
    at: 'admission',
    does: 'Coerces the variables to their declared types and decides every condition. Later stages read that decision.',
    errors: ['BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST'],
  },
  {
    name: 'limits',
    at: 'admission',
    does: 'Compares the cost with these variables with the limit, and with what is left for the batch.',
    errors: ['QUERY_TOO_COMPLEX'],
  },
  {
    name: 'weight rate',
    at: 'admission',
    does: 'Counts the other root fields against the rate limit of the client address.',
    errors: ['RATE_LIMITED'],
  },
  {
    name: 'authenticate',
    at: 'admission',
    does: 'Verifies the access token. An invalid token rejects the request; it is never ignored.',
    errors: ['UNAUTHENTICATED', 'AUTHENTICATION_UNAVAILABLE'],
  },
  {
    name: 'caller rate',
    at: 'admission',
    does: 'Counts the operation against the rate limits of the user and the client.',
    errors: ['RATE_LIMITED'],
  },
  {
    name: 'authorize',
    at: 'admission',
    does: 'Finds the fields that the caller may not read. They are not requested from subgraphs.',
    errors: [],
  },
  {
    name: 'open stream',
    at: 'stream',
    does: 'Plans a subscription or live query, and joins the topic of equal ones.',
    errors: [
      'TOO_MANY_STREAMS',
      'UNAUTHENTICATED',
      'FORBIDDEN',
      'GRAPHQL_VALIDATION_FAILED',
      'QUERY_TOO_COMPLEX',
      'RATE_LIMITED',
      'OVERLOADED',
    ],
  },
  {
    name: 'plan',
    at: 'run',
    does: 'Finds or makes the query plan, and counts its subgraph requests. Checks that each file goes to one of them. Events and ticks use the plan of their stream.',
    errors: [
      'QUERY_TOO_COMPLEX',
      'RATE_LIMITED',
      'OVERLOADED',
      'BAD_USER_INPUT',
      'UPLOAD_NOT_FORWARDABLE',
      'UPLOAD_OUT_OF_ORDER',
    ],
  },
  {
    name: 'tick rate',
    at: 'run',
    does: 'Counts a tick of a live query against the rate limits. A tick beyond them is skipped.',
    errors: ['RATE_LIMITED'],
  },
  {
    name: 'response cache',
    at: 'run',
    does: 'Returns the cached response of a query, or coalesces it with an equal one in flight.',
    errors: [],
  },
  {
    name: 'gate',
    at: 'run',
    does: 'Waits for a turn while the process is busy. Events and ticks have a lane of their own and begin a few in each turn of the event loop, so that a storm of them does not delay queries.',
    errors: [],
  },
  {
    name: 'execute',
    at: 'run',
    does: 'Sends the subgraph requests of the plan and merges the responses. Query planner workers execute introspection.',
    errors: [
      'OVERLOADED',
      'RATE_LIMITED',
      'QUERY_TOO_COMPLEX',
      'RESPONSE_TOO_LARGE',
      'UPLOAD_MISSING',
      'UPLOAD_OUT_OF_ORDER',
      'PAYLOAD_TOO_LARGE',
      'BAD_REQUEST',
    ],
  },
  {
    name: 'invalidate',
    at: 'run',
    does: 'After a mutation, invalidates cached responses.',
    errors: [],
  },
  {
    name: 'respond',
    at: 'run',
    does: 'Formats data and errors for the client, and charges the objects to the rate limits.',
    errors: ['RESPONSE_TOO_LARGE'],
  },
] as const;

/** The name of a stage. */
export type StageName = (typeof stages)[number]['name'];

/** What a code of the graph means. */
export interface GraphErrorDescription {
  /** HTTP status of a response without data, under `application/graphql-response+json`. */
  readonly status: number;
  /** Whether the error's own message is shown to clients. */
  readonly expose: boolean;
  readonly summary: string;
}

/** A code in `errors[].extensions.code`. */
export type GraphErrorCode =
  | 'GRAPHQL_PARSE_ERROR'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'QUERY_TOO_COMPLEX'
  | 'EVENTS_MISSED'
  | 'INTERNAL_SERVER_ERROR';

/** The codes that every deployable of the graph shares. See docs/errors.md#the-graph. */
export const graphErrorCodes: Readonly<Record<GraphErrorCode, GraphErrorDescription>> = {
  /** The operation's text has a syntax error. */
  GRAPHQL_PARSE_ERROR: { status: 400, expose: true, summary: 'The operation is not well-formed GraphQL.' },
  /** The operation does not fit the schema. */
  GRAPHQL_VALIDATION_FAILED: { status: 400, expose: true, summary: 'The operation does not fit the schema.' },
  /** No token, or one that is not valid here. */
  UNAUTHENTICATED: { status: 401, expose: true, summary: 'A valid access token is needed.' },
  /** The token is good, its rights are not enough. */
  FORBIDDEN: { status: 403, expose: true, summary: 'The caller may not do this.' },
  /** An argument or variable fails validation; `field` and `invalidValue` name it. */
  BAD_USER_INPUT: { status: 400, expose: true, summary: 'An argument or variable is not acceptable.' },
  /** A limit on depth, aliases, cost, tokens or the like is exceeded; `limit` names it. */
  QUERY_TOO_COMPLEX: { status: 400, expose: true, summary: 'The operation exceeds a limit.' },
  /** A subscription can't go on without a gap: the client reads again, and subscribes again. */
  EVENTS_MISSED: { status: 410, expose: true, summary: 'Events of the subscription have been missed.' },
  /** Anything unexpected. The cause is logged, never sent. */
  INTERNAL_SERVER_ERROR: { status: 500, expose: false, summary: 'Something failed inside.' },
};

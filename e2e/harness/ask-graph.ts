/** An entry of `errors`. */
export interface GraphError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>> & { readonly code: string };
}

/** The body of a response. */
export interface GraphResult<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly GraphError[];
}

/** A response with what HTTP says about it. */
export interface GraphResponse<Data> extends GraphResult<Data> {
  readonly status: number;
  readonly headers: Headers;
}

/** What is asked. */
export interface GraphQuestion {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  /** An access token; absent for no one. */
  readonly token?: string | undefined;
  /** @default 'application/graphql-response+json' */
  readonly accept?: string;
  /** More request headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The media type of the GraphQL over HTTP specification. */
export const GRAPHQL_RESPONSE = 'application/graphql-response+json';

const DEADLINE_MS = 90_000;

/** Asks by POST. `Data` is what the caller expects; the tests find out whether it is so. */
export async function askGraph<Data = Readonly<Record<string, unknown>>>(
  endpoint: string,
  { query, variables, operationName, ...question }: GraphQuestion,
): Promise<GraphResponse<Data>> {
  const response = await postGraph(endpoint, { query, variables, operationName }, question);
  const { data, errors } = (await response.json()) as GraphResult<Data>;
  return {
    status: response.status,
    headers: response.headers,
    ...(data !== undefined && { data }),
    ...(errors && { errors }),
  };
}

/** Posts any JSON value, such as a batch. */
export function postGraph(
  endpoint: string,
  body: unknown,
  { token, accept = GRAPHQL_RESPONSE, headers = {} }: Omit<GraphQuestion, 'query'> = {},
): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}

/** The data of a response that must have some and no errors. */
export function dataOf<Data>(result: GraphResult<Data>): Data {
  if (result.errors || !result.data) throw new Error(`No clean answer: ${JSON.stringify(result.errors)}`);
  return result.data;
}

/** One request to a gateway over the library graph. */
export interface MixedOperation {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the response must hold. */
  readonly expected: string;
}

type Kind = (number: number) => Omit<Request, 'accept'> & { readonly accept?: string };

interface Request {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly accept: string;
  readonly expected: string;
}

const joined: Kind = () => ({
  query: '{ people(limit: 2) { name books { title author { name } } } }',
  expected: '"title":"Book 2","author":{"name":"Ed"}',
});

/** In the shares in which they come. */
const KINDS: readonly Kind[] = [
  joined,
  joined,
  joined,
  joined,
  () => ({ query: '{ public }', expected: '"public":"open to all"' }),
  () => ({ query: '{ shelf { __typename title } }', expected: '"__typename":"Map"' }),
  (number) => ({
    query: 'query ($value: String) { echo(value: $value) }',
    variables: { value: `value ${number}` },
    expected: `value ${number}`,
  }),
  (number) => ({
    query: 'mutation ($name: String!) { rename(id: "user-1", name: $name) { name } }',
    variables: { name: `name ${number}` },
    expected: `"name":"name ${number}"`,
  }),
  () => ({
    query: '{ people(limit: 1) { name ... @defer { books { title } } } }',
    accept: 'multipart/mixed;deferSpec=20220824, application/json',
    expected: '"hasNext":false',
  }),
  () => ({ query: '{ public fail }', expected: '"fail":null' }),
  (number) =>
    number % 5 === 0
      ? { query: `{ text${number}: public }`, expected: `"text${number}":"open to all"` }
      : { query: `{ public unknown${number % 7_000} }`, expected: 'GRAPHQL_VALIDATION_FAILED' },
];

/** The n-th of a mix of operations: queries over several subgraphs, mutations, deferred parts, failures, texts that were never seen. */
export function mixedOperation(number: number): MixedOperation {
  const kind = KINDS[number % KINDS.length] ?? joined;
  const { query, variables, accept = 'application/json', expected } = kind(number);
  return {
    body: JSON.stringify({ query, variables }),
    headers: { 'content-type': 'application/json', accept, 'x-request': String(number) },
    expected,
  };
}

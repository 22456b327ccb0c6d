/** An operation that is sent to do harm, over the graph of a library (`testing/library-graph.ts`). */
export interface HostileOperation {
  /** Its number and what it tries, for titles. */
  readonly attack: string;
  readonly query: string;
  readonly operationName?: string;
  /** JSON text, because some variables are too deep for JSON.stringify. @default '{}' */
  readonly variables?: string;
  /** JSON text. @default '{}' */
  readonly extensions?: string;
  /** The value of `Authorization`, or what stands for it. */
  readonly authorization?: string;
  /** More headers; on a connection those of the upgrade request, and of `connection_init`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the response's first error says; absent where it is answered. */
  readonly code?: RegExp;
}

const TOO_COMPLEX = /^QUERY_TOO_COMPLEX$/;
const INVALID = /^GRAPHQL_VALIDATION_FAILED$/;
const MALFORMED = /^BAD_REQUEST$/;
const UNPARSABLE = /^(GRAPHQL_PARSE_ERROR|QUERY_TOO_COMPLEX)$/;
const ANY_REJECTION = /^(GRAPHQL_PARSE_ERROR|GRAPHQL_VALIDATION_FAILED|QUERY_TOO_COMPLEX)$/;

/** Those of the section "Parser / validation / limits": each is rejected, or harmless. The default limits are in force. */
export const hostileOperations: readonly HostileOperation[] = [
  ...nesting(),
  ...variables(),
  ...fragments(),
  ...limits(),
  ...repetitions(),
  ...introspection(),
  ...mistakes(),
];

function nesting(): readonly HostileOperation[] {
  const selections = (levels: number): string => `${'{ friends '.repeat(levels)}${'}'.repeat(levels)}`;
  const list = (levels: number): string => `{ echo(list: ${'['.repeat(levels)}1${']'.repeat(levels)}) }`;
  const object = (levels: number): string =>
    `{ echo(input: ${'{ nested: '.repeat(levels)}null${'}'.repeat(levels)}) }`;
  return [
    ...[1_900, 5_000].map((levels) => ({
      attack: `S-001 selections nested ${levels} deep`,
      query: selections(levels),
      code: UNPARSABLE,
    })),
    ...[1_000, 4_900, 50_000].flatMap((levels) => [
      { attack: `S-002 lists nested ${levels} deep`, query: list(levels), code: ANY_REJECTION },
      { attack: `S-002 objects nested ${levels} deep`, query: object(levels), code: ANY_REJECTION },
    ]),
  ];
}

function variables(): readonly HostileOperation[] {
  const echo = 'query ($list: [Int!]) { echo(list: $list) }';
  const many = Array.from({ length: 100_000 }, (_, index) => `$v${index}:Int`).join(' ');
  return [
    {
      attack: 'S-003 variables nested 50,000 deep',
      query: echo,
      variables: `{"list":${'['.repeat(50_000)}1${']'.repeat(50_000)}}`,
      code: MALFORMED,
    },
    {
      attack: 'S-018 100,000 variable definitions',
      query: `query (${many.slice(0, many.lastIndexOf('$', 900_000))}) { public }`,
      code: UNPARSABLE,
    },
    {
      attack: 'S-018 2,000 variable definitions',
      query: `query (${many.slice(0, many.lastIndexOf('$', 19_000))}) { public }`,
      code: ANY_REJECTION,
    },
    {
      attack: 'S-019 a list variable of 400,000 elements',
      query: echo,
      variables: `{"list":[${'1,'.repeat(400_000)}1]}`,
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-037 variables and fields that JavaScript knows',
      query:
        'query ($__proto__: String, $constructor: String) { constructor: echo(value: $constructor) then: echo(value: $__proto__) }',
      variables: '{"__proto__":"a","constructor":"b"}',
    },
  ];
}

function fragments(): readonly HostileOperation[] {
  const chain = Array.from({ length: 10_000 }, (_, i) => `fragment f${i} on Query{...f${i + 1}}`).join(' ');
  const bomb = (levels: number): string => {
    const steps = Array.from(
      { length: levels },
      (_, i) =>
        `fragment f${i} on User { friends @include(if: true) { ...f${i + 1} } ... on User { ...f${i + 1} } }`,
    );
    return `{ people { ...f0 } } ${steps.join(' ')} fragment f${levels} on User { id }`;
  };
  return [
    { attack: 'S-005 a chain of 10,000 fragments', query: `{...f0} ${chain}`, code: UNPARSABLE },
    {
      attack: 'S-006 a fragment that spreads itself',
      query: '{ people { ...f } } fragment f on User { friends { ...f } }',
      code: INVALID,
    },
    {
      attack: 'S-006 fragments that spread one another',
      query: '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }',
      code: INVALID,
    },
    ...[14, 30].map((levels) => ({
      attack: `S-007 a fragment bomb of 2^${levels}`,
      query: bomb(levels),
      code: TOO_COMPLEX,
    })),
  ];
}

/** `people` and what is below, `depth` fields from root to leaf. */
function deep(depth: number, leaf = 'id'): string {
  const levels = depth - 2;
  return `people(limit: 1) { ${'friends(first: 1) { '.repeat(levels)}${leaf}${' }'.repeat(levels)} }`;
}

function limits(): readonly HostileOperation[] {
  const aliases = (count: number, field: string): string =>
    Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');
  const books = 'id title author { id name }'; // costs 10 with the book itself
  return [
    { attack: 'S-008 a depth of 11', query: `{ ${deep(11)} }`, code: TOO_COMPLEX },
    {
      attack: 'S-008 a depth of 11 in named fragments',
      query: `{ people(limit: 1) { ...a } } fragment a on User { ${'friends(first: 1) { '.repeat(4)} ...b ${'}'.repeat(4)} } fragment b on User { ${'friends(first: 1) { '.repeat(5)} id ${'}'.repeat(5)} }`,
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-008 a depth of 11 in inline fragments',
      query: `{ ... { ... on Query { ${deep(10, '... on User { friends(first: 1) { id } }')} } } }`,
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-008 a depth of 11 below an interface',
      query: `{ shelf { ... on Item { ... on Book { author { ${'friends(first: 1) { '.repeat(8)} id ${'}'.repeat(8)} } } } } }`,
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-008 a depth of 11 that is deferred',
      query: `{ people(limit: 1) { id ... @defer { ${'friends(first: 1) { '.repeat(9)} id ${'}'.repeat(9)} } } }`,
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-008 a depth of 11 in the second operation',
      query: `query shallow { public } query deep { ${deep(11)} }`,
      operationName: 'deep',
      code: TOO_COMPLEX,
    },
    { attack: 'S-009 11 aliases', query: `{ people { ${aliases(11, 'id')} } }`, code: TOO_COMPLEX },
    {
      attack: 'S-009 11 aliases of __typename',
      query: `{ ${aliases(11, '__typename')} }`,
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-009 12 aliases in a fragment of 6',
      query: `{ people { ...a } me { ...a } } fragment a on User { ${aliases(6, 'id')} }`,
      code: TOO_COMPLEX,
    },
    { attack: 'S-010 a cost in a literal', query: `{ books(first: 1001) { ${books} } }`, code: TOO_COMPLEX },
    {
      attack: 'S-010 a cost in a variable',
      query: `query ($n: Int) { books(first: $n) { ${books} } }`,
      variables: '{"n":1000000000}',
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-010 a cost in the default of a variable',
      query: `query ($n: Int = 1000000000) { books(first: $n) { ${books} } }`,
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-010 a cost that multiplies',
      query: '{ people(limit: 100) { friends(first: 100) { id } } }',
      code: TOO_COMPLEX,
    },
    {
      attack: 'S-010 a cost that a variable includes',
      query: `query ($v: Boolean!) { public books(first: 1001) @include(if: $v) { ${books} } }`,
      variables: '{"v":true}',
      code: TOO_COMPLEX,
    },
    { attack: 'S-011 150 root fields', query: `{ ${'__typename '.repeat(150)} }`, code: TOO_COMPLEX },
    {
      attack: 'S-013 51 known directives',
      query: `{ people { ${'id @include(if: true) '.repeat(51)} } }`,
      code: TOO_COMPLEX,
    },
  ];
}

function repetitions(): readonly HostileOperation[] {
  const spreads = Array.from({ length: 300 }, (_, i) => `...f${i}`).join(' ');
  const fields = 'people { id name } '.repeat(5);
  const spread = Array.from({ length: 300 }, (_, i) => `fragment f${i} on Query { ${fields} }`).join(' ');
  const inline = '... on Query { people { id name } } '.repeat(450);
  const operations = Array.from({ length: 1_000 }, (_, i) => `query q${i} { public }`).join(' ');
  return [
    { attack: 'S-004 a megabyte of tokens', query: `{ ${'a '.repeat(500_000)}}`, code: TOO_COMPLEX },
    { attack: 'S-012 one field 1,000 times', query: `{ ${'public '.repeat(1_000)} }`, code: TOO_COMPLEX },
    {
      attack: 'S-013 1,000 directives that are unknown',
      query: `{ public ${'@unknown '.repeat(1_000)} }`,
      code: INVALID,
    },
    {
      attack: 'S-013 1,000 directives that are known',
      query: `{ public ${'@include(if: true) '.repeat(1_000)} }`,
      code: INVALID,
    },
    { attack: 'S-014 1,000 operations', query: operations, operationName: 'q999' },
    {
      attack: 'S-015 4,000 fields that are unknown',
      query: `{ ${Array.from({ length: 4_000 }, (_, i) => `wrong${i}`).join(' ')} }`,
      code: INVALID,
    },
    {
      attack: 'S-015 a field with a name of 100,000 characters',
      query: `{ ${'x'.repeat(100_000)} }`,
      code: INVALID,
    },
    {
      attack: 'S-016 fields that overlap in fragments',
      query: `{ ${spreads} } ${spread}`,
      code: TOO_COMPLEX,
    },
    { attack: 'S-016 fields that overlap inline', query: `{ ${inline} }`, code: TOO_COMPLEX },
    {
      attack: 'S-017 an operation with a name of 100,000 characters',
      query: `query ${'n'.repeat(100_000)} { public }`,
    },
  ];
}

/** Introspection is off, so that suggestions of names are hidden as well. */
function introspection(): readonly HostileOperation[] {
  const types = 'fields { type { ';
  return [
    ...[
      '{ __schema { types { name } } }',
      '{ __type(name: "Query") { name } }',
      '{ x: __schema { queryType { name } } }',
      '{ ...f } fragment f on Query { __schema { queryType { name } } }',
      '\uFEFF{\n\t__schema\r\n{ queryType { name } } }',
    ].map((query) => ({ attack: `S-021 ${JSON.stringify(query)}`, query, code: INVALID })),
    { attack: 'S-022 a field with nearly the right name', query: '{ publik }', code: INVALID },
    { attack: 'S-022 an argument with nearly the right name', query: '{ echo(valu: "x") }', code: INVALID },
    {
      attack: 'S-022 a variable with nearly the right value',
      query: 'query ($k: Kind) { echo(kind: $k) }',
      variables: '{"k":"TW"}',
      code: /^BAD_USER_INPUT$/,
    },
    {
      attack: 'S-023 introspection that goes in circles',
      query: `{ __schema { types { ${types.repeat(20)} name ${'} }'.repeat(20)} } } }`,
      code: ANY_REJECTION,
    },
    { attack: 'S-040 _service', query: '{ _service { sdl } }', code: INVALID },
    {
      attack: 'S-040 _entities',
      query: '{ _entities(representations: []) { __typename } }',
      code: INVALID,
    },
  ];
}

/** What is no operation, or none of this graph. */
function mistakes(): readonly HostileOperation[] {
  const list = 'query ($list: [Int!], $input: EchoInput) { echo(list: $list, input: $input) }';
  const badInput = /^BAD_USER_INPUT$/;
  const byHash = (sha256Hash: unknown, version: unknown = 1): string =>
    JSON.stringify({ persistedQuery: { version, sha256Hash } });
  const badVariables = [
    '{"list":"x"}',
    '{"list":[1.5]}',
    '{"list":[1,null]}',
    '{"list":[2147483648]}',
    '{"list":{"__proto__":1}}',
    '{"input":{"tags":["a"]}}',
    '{"input":{"name":"a","isAdmin":true}}',
    '{"input":{"name":"a","__proto__":{"nested":1}}}',
  ];
  return [
    ...badVariables.map((variables) => ({
      attack: `S-010 variables of a wrong type: ${variables}`,
      query: list,
      variables,
      code: badInput,
    })),
    {
      attack: 'S-010 a variable that is missing',
      query: 'query ($id: ID!) { user(id: $id) { id } }',
      code: badInput,
    },
    {
      attack: 'S-010 a variable that is not declared',
      query: '{ user(id: $id) { id } }',
      code: INVALID,
    },
    {
      attack: 'S-037 an operation that is called __proto__',
      query: 'query a { public }',
      operationName: '__proto__',
      code: INVALID,
    },
    { attack: 'S-037 a field that is called __proto__', query: '{ __proto__ constructor }', code: INVALID },
    {
      attack: 'S-040 a representation in a variable',
      query:
        'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }',
      variables: '{"representations":[{"__typename":"User","id":"1"}]}',
      code: INVALID,
    },
    {
      attack: 'S-054 an unknown hash',
      query: '',
      extensions: byHash('0'.repeat(64)),
      code: /^PERSISTED_QUERY_NOT_FOUND$/,
    },
    ...(
      [['A'.repeat(64)], ['0'.repeat(63)], [['0'.repeat(64)]], ['__proto__'], ['0'.repeat(64), 2]] as const
    ).map(([hash, version]) => ({
      attack: `S-054 what is no hash: ${JSON.stringify([hash, version])}`,
      query: '',
      extensions: byHash(hash, version),
      code: /^PERSISTED_QUERY_MISMATCH$/,
    })),
    {
      attack: 'S-054 a text under the hash of another',
      query: '{ public }',
      extensions: byHash('0'.repeat(64)),
      code: /^PERSISTED_QUERY_MISMATCH$/,
    },
    {
      attack: 'S-052 a subscription of a graph that has none',
      query: 'subscription { public }',
      code: INVALID,
    },
  ];
}

import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  type GraphQLInputType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);
const someId = '01941f29-7c00-7a00-8000-0000000000ad';

const createPost = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';
const createUser = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';
const updatePost =
  'mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { id } }';
const post = { title: 'A title', body: 'A body' };
const id = someId;
let knownPost = '';
beforeAll(async () => {
  const token = await tokens.of('ada');
  const response = await askGraph<{ posts: readonly { id: string }[] }>(graph, {
    query: '{ posts(first: 1) { id } }',
    token,
  });
  knownPost = dataOf(response).posts[0]?.id ?? '';
});

type Position = readonly [
  position: string,
  isLine: boolean,
  query: string,
  variables: (text: string) => object,
];

/** Every position at which a text enters the graph: whether it is one line, and what sends it. */
const positions: readonly Position[] = [
  ['CreatePostInput.title', true, createPost, (title) => ({ input: { ...post, title } })],
  ['CreatePostInput.body', false, createPost, (body) => ({ input: { ...post, body } })],
  ['CreatePostInput.tags', true, createPost, (tag) => ({ input: { ...post, tags: ['a', tag] } })],
  [
    'CreatePostInput.metadata',
    false,
    createPost,
    (text) => ({ input: { ...post, metadata: [{ a: text }] } }),
  ],
  ['UpdatePostInput.title', true, updatePost, (title) => ({ id, input: { title } })],
  ['UpdatePostInput.body', false, updatePost, (body) => ({ id, input: { body } })],
  ['UpdatePostInput.tags', true, updatePost, (tag) => ({ id, input: { tags: [tag] } })],
  ['UpdatePostInput.metadata', false, updatePost, (text) => ({ id, input: { metadata: { [text]: 1 } } })],
  ['CreateUserInput.name', true, createUser, (name) => ({ input: { name } })],
  [
    'CreateUserInput.email',
    true,
    createUser,
    (text) => ({ input: { name: 'A', email: `${text}@a.example` } }),
  ],
  [
    'UserBy.email',
    false,
    'query ($by: UserBy!) { userBy(by: $by) { id } }',
    (text) => ({ by: { email: `${text}@a.example` } }),
  ],
  [
    'Mutation.addComment.body',
    false,
    'mutation ($id: ID!, $body: String!) { addComment(postId: $id, body: $body) { id } }',
    (body) => ({ id: knownPost, body }), // of one that does not exist it would be BAD_USER_INPUT all the same
  ],
  [
    'Mutation.editComment.body',
    false,
    'mutation ($id: ID!, $body: String!) { editComment(id: $id, body: $body) { id } }',
    (body) => ({ id, body }),
  ],
  [
    'Query.search.query',
    false,
    'query ($text: String!) { search(query: $text) { __typename } }',
    (text) => ({ text }),
  ],
  [
    'Query.search.text',
    false,
    'query ($text: String!) { search(text: $text) { __typename } }',
    (text) => ({ text }),
  ],
  ...['query', 'text'].map((argument) =>
    connectionPosition('Query.searchConnection', argument, `searchConnection(${argument}: $text) {`),
  ),
  ...['after', 'before'].flatMap((argument) => [
    connectionPosition('Query.postsConnection', argument, `postsConnection(${argument}: $text) {`),
    connectionPosition('Query.usersConnection', argument, `usersConnection(${argument}: $text) {`),
    connectionPosition(
      'Query.searchConnection',
      argument,
      `searchConnection(query: "a", ${argument}: $text) {`,
    ),
    connectionPosition(
      'Post.commentsConnection',
      argument,
      `posts(first: 1) { commentsConnection(${argument}: $text) {`,
    ),
    ...['posts', 'comments'].map((list) =>
      connectionPosition(`User.${list}Connection`, argument, `me { ${list}Connection(${argument}: $text) {`),
    ),
  ]),
];

/** @param field begins the operation's field, up to the selections of the connection */
function connectionPosition(connection: string, argument: string, field: string): Position {
  const ends = field.replaceAll(/[^{]/g, '').replaceAll('{', ' }');
  return [
    `${connection}.${argument}`,
    false,
    `query ($text: String!) { ${field} nodes { __typename }${ends} }`,
    (text) => ({ text }),
  ];
}

/** As JSON has them. */
const NEVER = ['a\\u0000b', 'a\\ud800b', 'a\\u202eb', 'a\\u2066b'];
const NOT_IN_A_LINE = ['a\\nb', 'a\\u200fb', 'a\\u061cb'];

describe('L1: a text with NUL, half a surrogate pair or what changes the direction of text', () => {
  it.each(positions)('is rejected in %s', async (_position, isLine, query, variablesOf) => {
    const token = await tokens.of('ada');
    const rejections = [
      ...NEVER.map((text) => ({ text, code: 'BAD_REQUEST' })), // by the gateway
      ...(isLine ? NOT_IN_A_LINE.map((text) => ({ text, code: 'BAD_USER_INPUT' })) : []),
    ];
    for (const { text, code } of rejections) {
      const variables = variablesOf(JSON.parse(`"${text}"`) as string);
      const { errors } = await askGraph(graph, { query, variables: { ...variables }, token });
      expect({ text, code: errors?.[0]?.extensions.code }).toEqual({ text, code });
    }
  });

  it('is looked for at every position of the schema that takes a text', () => {
    expect(positions.map(([position]) => position).toSorted()).toEqual(textPositions().toSorted());
  });
});

/** Arguments and members of inputs that are texts, or JSON; ids are looked up, and never stored. */
function textPositions(): readonly string[] {
  const schema = buildSchema(readFileSync(new URL('../../docs/api.graphql', import.meta.url), 'utf8'));
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isInputObjectType(type)) return namesOfTexts(type.name, Object.values(type.getFields()));
    if (!isObjectType(type) || type.name.startsWith('__')) return [];
    return Object.values(type.getFields()).flatMap(({ name, args }) =>
      namesOfTexts(`${type.name}.${name}`, args),
    );
  });
}

function namesOfTexts(
  owner: string,
  inputs: readonly { readonly name: string; readonly type: GraphQLInputType }[],
): readonly string[] {
  return inputs.filter(({ type }) => isText(type)).map(({ name }) => `${owner}.${name}`);
}

function isText(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  return isScalarType(named) && ['String', 'JSON'].includes(named.name);
}

import { createLogger, createMetrics } from '@trellis/runtime';
import { buildSubgraphServer } from '@trellis/subgraph-kit';
import { createUserContextVerifier } from '@trellis/subgraph-protocol';
import { createTestUserContext } from '@trellis/testkit';
import { createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';

/** A subgraph made with the kit, with every directive of the federation. */
let subgraph: Awaited<ReturnType<typeof buildSubgraphServer>>;
let signed: string;

const BOOK = { isbn: '1', title: 'Tides', year: 1999, format: 'paper', author: { id: 'a' } };

const resolvers = {
  Query: { book: () => BOOK },
  Book: {
    __resolveReference: ({ isbn, title, year }: Partial<typeof BOOK>) =>
      isbn === BOOK.isbn || (title === BOOK.title && year === BOOK.year) ? BOOK : null,
    author: () => ({ ...BOOK.author, name: 'Mara Quill' }),
  },
  Loan: { __resolveReference: (loan: object) => ({ ...loan, days: 14 }) },
  Author: {
    __resolveReference: (author: object) => author,
    introduction: ({ name, born }: { readonly name: string; readonly born: number }) =>
      `${name}, born ${born}`,
  },
  Medium: { __resolveReference: (medium: object) => ({ ...medium, shelf: 'A3' }) },
};

beforeAll(async () => {
  const gateway = await createTestUserContext();
  signed = await gateway.sign('library', { scopes: [] });
  subgraph = await buildSubgraphServer({
    logger: createLogger({ service: 'library', destination: { write: () => undefined } }),
    metrics: createMetrics('library'),
    verifier: createUserContextVerifier({
      subgraph: 'library',
      keys: createLocalJWKSet({ keys: [...gateway.jwks.keys] }),
    }),
    typeDefs: new URL('federation-rules.graphql', import.meta.url),
    resolvers,
    createContext: ({ userContext }) => ({ userContext }),
    development: true,
  });
});
afterAll(() => subgraph.close());

async function ask(query: string, variables: object = {}): Promise<unknown> {
  const response = await subgraph.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'trellis-user-context': signed },
    payload: { query, variables },
  });
  return response.json<{ readonly data: unknown }>().data;
}

async function entity(representation: object, selection: string): Promise<unknown> {
  const query = `query ($of: [_Any!]!) { _entities(representations: $of) { ${selection} } }`;
  return ask(query, { of: [representation] });
}

async function sdl(): Promise<string> {
  const { _service } = (await ask('{ _service { sdl } }')) as { readonly _service: { readonly sdl: string } };
  return _service.sdl.replaceAll(/\s+/g, ' ');
}

describe('a subgraph of the kit follows the rules of federation', () => {
  it(cell('subgraph-kit', '_service'), async () => {
    expect(await sdl()).toContain('book(isbn: ID!): Book');
  });

  it(cell('subgraph-kit', '@key, single'), async () => {
    const found = await entity({ __typename: 'Book', isbn: '1' }, '... on Book { title }');
    expect(found).toEqual({ _entities: [{ title: 'Tides' }] });
    expect(await entity({ __typename: 'Book', isbn: '2' }, '... on Book { title }')).toEqual({
      _entities: [null],
    });
  });

  it(cell('subgraph-kit', '@key, several fields'), async () => {
    const found = await entity({ __typename: 'Book', title: 'Tides', year: 1999 }, '... on Book { isbn }');
    expect(found).toEqual({ _entities: [{ isbn: '1' }] });
  });

  it(cell('subgraph-kit', '@key, fields within fields'), async () => {
    const key = { book: { isbn: '1' }, reader: { card: '7' } };
    const found = await entity({ __typename: 'Loan', ...key }, '... on Loan { days reader { card } }');
    expect(found).toEqual({ _entities: [{ days: 14, reader: { card: '7' } }] });
  });

  it(cell('subgraph-kit', '@key, repeated'), async () => {
    expect(await sdl()).toMatch(/type Book @key\(fields: "isbn"\) @key\(fields: "title year"\)/);
  });

  it(cell('subgraph-kit', '@requires'), async () => {
    const author = { __typename: 'Author', id: 'a', name: 'Mara Quill', born: 1960 };
    const found = await entity(author, '... on Author { introduction }');
    expect(found).toEqual({ _entities: [{ introduction: 'Mara Quill, born 1960' }] });
  });

  it(cell('subgraph-kit', '@provides'), async () => {
    expect(await ask('{ book(isbn: "1") { author { name } } }')).toEqual({
      book: { author: { name: 'Mara Quill' } },
    });
    expect(await sdl()).toContain('author: Author @provides(fields: "name")');
  });

  it(cell('subgraph-kit', '@external'), async () => {
    expect(await sdl()).toContain('name: String @external');
  });

  it(cell('subgraph-kit', '@link'), async () => {
    expect(await sdl()).toContain('@link(url: "https://specs.apollo.dev/federation/v2.3"');
  });

  it(cell('subgraph-kit', '@shareable'), async () => {
    expect(await sdl()).toContain('publisher: String @shareable');
  });

  it(cell('subgraph-kit', '@tag'), async () => {
    expect(await sdl()).toContain('format: String @tag(name: "print")');
  });

  it(cell('subgraph-kit', '@override'), async () => {
    expect(await sdl()).toContain('price: Int @override(from: "shop")');
  });

  it(cell('subgraph-kit', '@inaccessible'), async () => {
    expect(await sdl()).toContain('internalNote: String @inaccessible');
    expect(await ask('{ book(isbn: "1") { internalNote } }')).toEqual({ book: { internalNote: null } });
  });

  it(cell('subgraph-kit', '@composeDirective'), async () => {
    const text = await sdl();
    expect(text).toContain('@composeDirective(name: "@shelved")');
    expect(text).toContain('title: String @shelved(at: "A")');
  });

  it(cell('subgraph-kit', '@interfaceObject'), async () => {
    const found = await entity({ __typename: 'Medium', id: 'm' }, '... on Medium { shelf }');
    expect(found).toEqual({ _entities: [{ shelf: 'A3' }] });
    expect(await sdl()).toContain('type Medium @key(fields: "id") @interfaceObject');
  });
});

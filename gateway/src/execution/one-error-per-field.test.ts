import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FEDERATION,
  plain,
  startHandGraph,
  type HandGraph,
  type HandSubgraph,
} from '../../test-fixtures/hand-graph.ts';
import { Failure, joinFailures, unresolved } from './failure.ts';
import { originsWithin } from './merge-values.ts';

const fail = (message: string) => (): never => {
  throw new Error(message);
};

/** Two subgraphs that share a field. */
const subgraphs: Readonly<Record<string, HandSubgraph>> = {
  left: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        both: Box @shareable
      }
      type Box @key(fields: "id") {
        id: ID!
        left: Int
      }
    `,
    resolvers: { Query: { both: fail('Left is broken.') } },
  },
  right: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        both: Box @shareable
      }
      type Box @key(fields: "id", resolvable: false) {
        id: ID!
        right: Int
      }
    `,
    resolvers: { Query: { both: fail('Right is broken.') } },
  },
};

let graph: HandGraph;
beforeAll(async () => {
  graph = await startHandGraph(subgraphs);
});
afterAll(() => graph.close());

describe('GraphQL §6.4.4: one error for a field', () => {
  it('that two subgraphs failed to send, with its path', async () => {
    const { data, errors = [], unreported = [] } = await graph.run('{ both { left right } }');
    expect(plain({ data })).toEqual({ data: { both: null } });
    expect(errors.map(({ path }) => path)).toEqual([['both']]);
    expect([...errors, ...unreported].map(({ message }) => message).toSorted()).toEqual([
      'Left is broken.',
      'Right is broken.',
    ]);
  });

  it('that was asked for: what else is missing is found in the data, at any depth', () => {
    const [own, second, unresolvedOne] = [{}, {}, {}];
    const failureOf = (origin: object): Failure =>
      new Failure([{ message: 'No.', extensions: {}, below: [], cause: undefined, origin }]);
    const data = {
      list: [{ value: joinFailures(failureOf(own), failureOf(second)) }],
      object: { id: 1, [unresolved]: failureOf(unresolvedOne) },
    };
    expect(originsWithin(data)).toEqual(new Set([own, second, unresolvedOne]));
  });
});

import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from './subgraph-server.ts';

/** A subgraph with a field for all callers, and two that ask by the policies `recent` and `strong` how the user has signed in. */
export function startPaymentsSubgraph(): Promise<SubgraphServer> {
  return startSubgraph({
    name: 'payments',
    typeDefs: gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@policy"])
      type Query {
        balance: Int
        account: Int @policy(policies: [["recent"]])
        vault: Int @policy(policies: [["strong"]])
      }
    `,
    resolvers: { Query: { balance: () => 1, account: () => 2, vault: () => 3 } },
  });
}

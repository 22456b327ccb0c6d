import { gql } from 'graphql-tag';
import { FEDERATION, type HandSubgraph } from '../hand-graph.ts';

const PART = `@key(fields: "place { id } serial") { place: Place serial: String`;
const CRATE = `@key(fields: "row shelf") { row: String! shelf: String`;

/** Parts with a compound key whose fields may all be null; crates with one of which one field may not. */
export const partsOfPlaces: Readonly<Record<'places' | 'prices', HandSubgraph>> = {
  places: {
    typeDefs: gql`${FEDERATION}
      type Query { parts: [Part!]! crates: [Crate!]! }
      type Part ${PART} }
      type Crate ${CRATE} }
      type Place @shareable { id: ID }
    `,
    resolvers: { Query: { parts: () => [], crates: () => [] } },
  },
  prices: {
    typeDefs: gql`${FEDERATION}
      type Part ${PART} price: Int }
      type Crate ${CRATE} price: Int }
      type Place @shareable { id: ID }
    `,
    resolvers: { Part: { price: () => 7 }, Crate: { price: () => 9 } },
  },
};

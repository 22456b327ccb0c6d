import { FEDERATION, type HandSubgraph } from '../hand-graph.ts';

const PART = `@key(fields: "place { id } serial") { place: Place serial: String`;

/** Parts with a compound key whose fields may all be null. */
export const partsOfPlaces: Readonly<Record<'places' | 'prices', HandSubgraph>> = {
  places: {
    sdl: `${FEDERATION}
      type Query { parts: [Part!]! }
      type Part ${PART} }
      type Place @shareable { id: ID }
    `,
    resolvers: { Query: { parts: () => [] } },
  },
  prices: {
    sdl: `${FEDERATION}
      type Part ${PART} price: Int }
      type Place @shareable { id: ID }
    `,
    resolvers: { Part: { price: () => 7 } },
  },
};

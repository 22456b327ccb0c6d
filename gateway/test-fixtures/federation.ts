import type { DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';

/** The directives that test subgraphs import. */
export const FEDERATION: DocumentNode = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: [
        "@key"
        "@requires"
        "@external"
        "@provides"
        "@shareable"
        "@override"
        "@inaccessible"
        "@context"
        "@fromContext"
        "@interfaceObject"
      ]
    )
`;

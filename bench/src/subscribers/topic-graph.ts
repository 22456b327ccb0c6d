import { writeFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import type { DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';

const LINK: DocumentNode = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
`;

/** The subgraph whose events are subscribed to. */
export const TOPIC: DocumentNode = gql`
  ${LINK}
  type Query {
    ready: Boolean
  }
  type Subscription {
    postCreated: Post!
  }
  type Post {
    id: ID!
    title: String!
    author: User!
  }
  type User @key(fields: "id", resolvable: false) {
    id: ID!
  }
`;

/** The subgraph that events are joined with. */
export const AUTHORS: DocumentNode = gql`
  ${LINK}
  type User @key(fields: "id") {
    id: ID!
    name: String!
    role: String!
  }
`;

/** What every client asks for. */
export const SUBSCRIPTION = 'subscription { postCreated { id title author { id name role } } }';

/** What the process of the subgraphs receives. */
export type Asked = { readonly kind: 'publish'; readonly number: number } | { readonly kind: 'count' };

/** What it has been asked by the gateway. */
export interface Counted {
  readonly kind: 'counted';
  readonly subscriptions: number;
  readonly fetches: number;
}

/** Composes both and writes the supergraph to a file. */
export function writeTopicGraph(
  file: string,
  urls: { readonly topic: string; readonly authors: string },
): void {
  const { supergraphSdl, errors } = composeServices([
    { name: 'topic', url: urls.topic, typeDefs: TOPIC },
    { name: 'authors', url: urls.authors, typeDefs: AUTHORS },
  ]);
  if (supergraphSdl === undefined) throw new Error(errors?.map(({ message }) => message).join('\n'));
  writeFileSync(file, supergraphSdl);
}

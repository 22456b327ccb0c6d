import { print, type DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';

/** The schema of a subgraph without its link: a text where a test puts it together of pieces. */
export type UnlinkedSchema = string | DocumentNode;

/** What the schema of a subgraph begins with. */
export const LINK: string = lineOf(gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
`);
/** The same, of one that has tags. */
export const TAG_LINK: string = lineOf(gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@tag"])
`);

/** The text of a schema, which begins with a link. */
export function linkSchema(schema: UnlinkedSchema, link: string = LINK): string {
  return link + (typeof schema === 'string' ? schema : print(schema));
}

function lineOf(link: DocumentNode): string {
  return `${print(link)}\n`;
}

/** What the schema of a subgraph begins with. */
export const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])\n';
/** The same, of one that has tags. */
export const TAG_LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@tag"])\n';

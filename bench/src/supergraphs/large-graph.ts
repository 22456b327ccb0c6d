import { print } from 'graphql';
import { gql } from 'graphql-tag';

/** Schemas by subgraph. */
type Schemas = Readonly<Record<string, string>>;

/** How large a graph is. */
export interface GraphSize {
  readonly subgraphs: number;
  readonly typesPerSubgraph: number;
  readonly operations: number;
}

const LINK = print(gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@requiresScopes", "@cost", "@listSize"]
    )
`);

/** A graph of many teams: each subgraph has entities of its own, and adds fields to those of the next one. */
export function largeGraph({ subgraphs, typesPerSubgraph }: GraphSize): Schemas {
  return Object.fromEntries(
    Array.from({ length: subgraphs }, (_, index) => [
      `s${index}`,
      schemaOf(index, subgraphs, typesPerSubgraph),
    ]),
  );
}

function schemaOf(index: number, subgraphs: number, types: number): string {
  const next = (index + 1) % subgraphs;
  const own = Array.from({ length: types }, (_, type) => {
    const below = type + 1 < types ? `child: S${index}T${type + 1}` : `neighbour: S${next}T0`;
    const key = type % 4 === 0 ? ' @key(fields: "id")' : '';
    return `type S${index}T${type}${key} { id: ID! name: String! count: Int list(first: Int = 10): [S${index}T${type}!] @listSize(slicingArguments: ["first"]) ${below} }`;
  });
  const foreign = `type S${next}T0 @key(fields: "id") { id: ID! note${index}: String }`;
  const roots = Array.from({ length: types }, (_, type) => `s${index}t${type}(id: ID!): S${index}T${type}`);
  const viewer = index === 1 ? 'me: Viewer ' : '';
  const viewerType =
    index === 1
      ? print(gql`
          type Viewer @key(fields: "id") {
            id: ID!
            name: String!
            theme: String
          }
        `)
      : '';
  return `${LINK}\n${viewerType}\ntype Query { ${viewer}${roots.join(' ')} }\n${own.join('\n')}\n${foreign}\n`;
}

/** Recorded operations on it, as the lines of a file: most of one subgraph, every fourth of two, and every third asks who the user is. */
export function largeRecord({ subgraphs, typesPerSubgraph, operations }: GraphSize): string {
  const lines = Array.from({ length: operations }, (_, index) => {
    const subgraph = index % subgraphs;
    const type = Math.floor(index / subgraphs) % typesPerSubgraph;
    const hop = index % 4 === 0 ? ` ...Far` : '';
    const last = `S${subgraph}T${typesPerSubgraph - 1}`;
    const root = hop ? `s${subgraph}t${typesPerSubgraph - 1}` : `s${subgraph}t${type}`;
    const far = hop ? ` fragment Far on ${last} { neighbour { id name note${subgraph} } }` : '';
    const document = `query Op${index}($id: ID!, $n: Int) { ${root}(id: $id) { id name${index % 3 === 0 ? '' : ' count'} list(first: $n) { id name }${hop} }${index % 3 === 0 ? ' me { id name theme }' : ''} }${far}`;
    const clients = [{ name: `app${index % 20}`, version: '1.0', requests: 10 + (index % 1000) }];
    return JSON.stringify({
      id: `op${index}`,
      document,
      clients,
      inputs: [],
      slices: [{ n: 20 }],
      scopes: [['read']],
    });
  });
  return `${[JSON.stringify({ format: 'trellis-operations/1' }), ...lines].join('\n')}\n`;
}

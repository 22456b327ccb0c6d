import { setTimeout as sleep } from 'node:timers/promises';
import { gql } from 'graphql-tag';
import { createRandom } from '@trellis/testkit/random';
import { startSubgraph, type SubgraphServer } from '../../src/testing/subgraph-server.ts';

/** A version: the subgraphs that it consists of. */
type Version = readonly SubgraphServer[];

/** A catalogue through its changes; each version of a subgraph runs by itself, as deployments overlap. */
export interface Catalogue {
  readonly plain: Version;
  /** With a field more. */
  readonly withExtra: Version;
  /** The field moves to another subgraph, for so many percent of the operations. */
  moving(percent: number): Version;
  readonly moved: Version;
  /** A name has a second name. */
  readonly withTitle: Version;
  /** And only that. */
  readonly withoutName: Version;
  /** Fails for 8 % of its requests; each time another text, so that it is another release. */
  failing(): Version;
  /** Responds a second later, and is otherwise right; each time another text. */
  slow(): Version;
  close(): Promise<void>;
}

const LINK = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@override"])
`;
const FAILING = 0.08;
const SLOWER_MS = 1_000;
const IDS = ['1', '2', '3'];

/** Starts all versions on free ports. */
export async function startCatalogue(seed: number): Promise<Catalogue> {
  const random = createRandom(seed).next;
  const started: SubgraphServer[] = [];
  const serve = async (fields: string, { failing = 0, laterMs = 0 } = {}): Promise<SubgraphServer> => {
    const subgraph = await startSubgraph({
      name: 'catalogue',
      typeDefs: gql`${LINK} type Query { items: [Item!]! } type Item @key(fields: "id") { id: ID! ${fields} }`,
      resolvers: {
        Query: {
          items: async () => {
            if (laterMs > 0) await sleep(laterMs);
            if (random() < failing) throw new Error('it fails');
            return IDS.map((id) => ({ id }));
          },
        },
        Item: itemFields(fields),
      },
    });
    started.push(subgraph);
    return subgraph;
  };
  const [plain, extra, titled, nameless, bad, late, moved] = await Promise.all([
    serve('name: String'),
    serve('name: String extra: String'),
    serve('name: String title: String'),
    serve('title: String'),
    serve('title: String broken: String', { failing: FAILING }),
    serve('title: String broken: String', { laterMs: SLOWER_MS }),
    serve('name: String'),
  ]);
  const details = await startSubgraph({
    name: 'details',
    typeDefs: detailsWith('@override(from: "catalogue")'),
    resolvers: { Item: itemFields('extra') },
  });
  started.push(details);
  let canaries = 0;
  const another = (subgraph: SubgraphServer): Version => {
    canaries += 1;
    const typeDefs = gql`${LINK} type Query { items: [Item!]! } type Item @key(fields: "id") { id: ID! title: String "${canaries}" broken: String }`;
    return [{ ...subgraph, typeDefs }];
  };
  return {
    plain: [plain],
    withExtra: [extra],
    moving: (percent) => [
      extra,
      { ...details, typeDefs: detailsWith(`@override(from: "catalogue", label: "percent(${percent})")`) },
    ],
    moved: [moved, { ...details, typeDefs: detailsWith('') }],
    withTitle: [titled, { ...details, typeDefs: detailsWith('') }],
    withoutName: [nameless],
    failing: () => another(bad),
    slow: () => another(late),
    close: async () => void (await Promise.all(started.map((subgraph) => subgraph.close()))),
  };
}

function detailsWith(override: string): SubgraphServer['typeDefs'] {
  return gql`${LINK} type Item @key(fields: "id") { id: ID! extra: String ${override} }`;
}

interface Item {
  readonly id: string;
}

/** Each field says its own name: which subgraph it came from makes no difference. */
function itemFields(fields: string): Record<string, (item: Item) => string> {
  const names = [...fields.matchAll(/\w+(?=:)/g)].map(([name]) => name);
  const all = names.length > 0 ? names : [fields];
  return Object.fromEntries(
    all.map((name) => [name, ({ id }: Item) => `${name === 'title' ? 'name' : name} ${id}`]),
  );
}

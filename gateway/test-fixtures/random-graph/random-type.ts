import { print } from 'graphql';
import { gql } from 'graphql-tag';
import type { GraphDraft } from './graph-draft.ts';
import type { SubgraphDraft } from './subgraph-draft.ts';

const SCALARS = ['Int', 'Float', 'String', 'Boolean', 'ID'];

/** Value types of every random graph, the same wherever they are used. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Place: { x: ': Float!', y: ': Float', floor: '(unit: String = "m"): Int' },
  Money: { amount: ': Int!', unit: ': Kind', history: ': [Money!]' },
  Card: { label: ': String', place: ': Place', tags: ': [String!]' },
};

const ENUMS: Readonly<Record<string, readonly string[]>> = {
  Kind: ['SMALL', 'LARGE', 'ODD'],
  // returned alone, so that a subgraph may know a value more
  Mood: ['GOOD', 'BAD'],
};

/** Makes sure that a subgraph defines a type of every random graph: a scalar, an enum, an input or a value type. */
export function define(subgraph: SubgraphDraft, name: string): void {
  if (name === 'Filter') defineFilter(subgraph);
  const values = ENUMS[name];
  if (values) {
    const own = name === 'Mood' && subgraph.name.length === 5 ? [`OF_${subgraph.name.toUpperCase()}`] : [];
    subgraph.definitions.set(name, `enum ${name} { ${[...values, ...own].join(' ')} }`);
  }
  const fields = VALUES[name];
  if (!fields || subgraph.types.has(name)) return;
  const type = subgraph.type(name);
  type.directives.add('@shareable');
  for (const [field, signature] of Object.entries(fields)) {
    type.field(field, signature);
    for (const used of namesIn(signature)) define(subgraph, used);
  }
}

function defineFilter(subgraph: SubgraphDraft): void {
  define(subgraph, 'Kind');
  subgraph.definitions.set(
    'Filter',
    print(gql`
      input Filter {
        kind: Kind = ODD
        atLeast: Int = 2
        ids: [ID!]
        inner: Filter
      }
    `),
  );
}

function namesIn(signature: string): readonly string[] {
  return (signature.match(/[A-Z]\w*/g) ?? []).filter((name) => !SCALARS.includes(name));
}

/** Arguments and type of a field. */
export interface RandomType {
  readonly signature: string;
  /** Entities and abstract types among what it names: a second subgraph has to know them. */
  readonly references: readonly string[];
}

/** A leaf, sometimes in a list, without arguments. */
export function randomLeaf(draft: GraphDraft, subgraph: SubgraphDraft): RandomType {
  const { random } = draft;
  const name = random.chance(20) ? random.pick(['Kind', 'Mood']) : random.pick(SCALARS);
  define(subgraph, name);
  return { signature: `: ${wrapped(draft, name)}`, references: [] };
}

/** Any type that a field of a subgraph may have. What it needs is defined there. */
export function randomType(draft: GraphDraft, subgraph: SubgraphDraft): RandomType {
  const { random } = draft;
  const args = randomArguments(draft, subgraph);
  const choice = random.below(100);
  if (choice < 45) return { ...withArguments(args, randomLeaf(draft, subgraph)) };
  if (choice < 58) {
    const name = random.pick(Object.keys(VALUES));
    define(subgraph, name);
    return withArguments(args, { signature: `: ${wrapped(draft, name)}`, references: [] });
  }
  const reference =
    choice < 74 && subgraph.abstractNames.length > 0
      ? random.pick(subgraph.abstractNames)
      : draft.referenceTo(random.pick(draft.entities), subgraph);
  if (reference === undefined) return randomLeaf(draft, subgraph);
  return withArguments(args, { signature: `: ${wrapped(draft, reference)}`, references: [reference] });
}

function withArguments(args: string, { signature, references }: RandomType): RandomType {
  return { signature: `${args}${signature}`, references };
}

function wrapped({ random }: GraphDraft, name: string): string {
  const bang = (percent: number): string => (random.chance(percent) ? '!' : '');
  if (random.chance(4)) return `[[${name}${bang(50)}]${bang(50)}]${bang(20)}`;
  return random.chance(30) ? `[${name}${bang(60)}]${bang(35)}` : `${name}${bang(30)}`;
}

const ARGUMENTS = [
  'first: Int = 3',
  'first: Int',
  'zone: Int!',
  'text: String = "none", flag: Boolean',
  'kind: Kind',
  'kind: Kind! = LARGE',
  'filter: Filter',
  'ids: [ID!]',
];

function randomArguments({ random }: GraphDraft, subgraph: SubgraphDraft): string {
  if (!random.chance(35)) return '';
  const args = random.pick(ARGUMENTS);
  for (const name of namesIn(args)) if (name === 'Kind' || name === 'Filter') define(subgraph, name);
  return `(${args})`;
}

/** Makes what a signature without references names known to another subgraph. */
export function defineNames(subgraph: SubgraphDraft, signature: string): void {
  for (const name of namesIn(signature)) define(subgraph, name);
}

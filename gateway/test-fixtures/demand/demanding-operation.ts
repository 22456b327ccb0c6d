import type { Random } from '@trellis/testkit/random';

/** An operation over the demanding graph, with variables: some of them null, negative, or not given. */
export interface DemandingOperation {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Field {
  readonly name: string;
  /** Absent for leaves. */
  readonly type?: string;
  readonly arguments?: readonly string[];
}

const NUMBERS = ['0', '1', '4', '$n', '$m', 'null', '-2'];
const IDS = ['[]', '["a"]', '["a", "b", "c", "d", "e"]', '$ids', '["a", $id]'];
const sliced = (name: string): readonly string[] => ['', ...NUMBERS.map((value) => `(${name}: ${value})`)];

const NODE: readonly Field[] = [
  { name: 'id' },
  { name: 'label' },
  { name: 'parts', type: 'Thing' },
  { name: 'parts', type: 'Thing' },
];
const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  Query: [
    { name: 'things', type: 'Thing', arguments: sliced('first') },
    {
      name: 'byIds',
      type: 'Thing',
      arguments: IDS.flatMap((value) => [`(ids: ${value})`, `(ids: ${value}, first: 1)`]),
    },
    {
      name: 'byCodes',
      type: 'Thing',
      arguments: ['', '(codes: $codes)', '(codes: ["a", "b", "c", "d", "e"])'],
    },
    { name: 'all', type: 'Thing' },
    { name: 'nodes', type: 'Node', arguments: ['', '(first: 1)', '(first: 3)', '(first: $k)'] },
    { name: 'nodes', type: 'Node' },
    { name: 'any', type: 'Any' },
    { name: 'connection', type: 'ThingConnection', arguments: sliced('first') },
    { name: 'one', type: 'Thing' },
    { name: 'reviews', type: 'Review', arguments: sliced('last') },
    {
      name: 'search',
      type: 'Thing',
      arguments: [
        '',
        '(where: $where)',
        '(where: { ids: $ids })',
        '(where: { limit: 2, ids: ["a", "b", "c"] })',
        '(where: {})',
      ],
    },
  ],
  Subscription: [
    { name: 'ticked', type: 'Thing', arguments: sliced('first') },
    { name: 'happened', type: 'Thing' },
  ],
  Node: NODE,
  Any: [],
  Thing: [
    ...NODE,
    { name: 'many', type: 'Thing', arguments: sliced('first') },
    { name: 'tags' },
    { name: 'grid', type: 'Cell' },
    { name: 'reviews', type: 'Review', arguments: sliced('limit') },
    { name: 'weight' },
    { name: 'friend', type: 'Thing' },
    { name: 'peers', type: 'Thing', arguments: sliced('first') },
    { name: 'rank' },
  ],
  Vault: NODE,
  ThingConnection: [{ name: 'edges', type: 'Edge' }, { name: 'pageInfo' }],
  Edge: [{ name: 'node', type: 'Thing' }, { name: 'cursor' }],
  Cell: [{ name: 'x' }],
  Review: [{ name: 'text' }, { name: 'thing', type: 'Thing' }],
};
const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  Node: ['Thing', 'Vault', 'Node'],
  Any: ['Thing', 'Vault', 'Node'],
};

/** By name, what a variable is declared as. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  n: 'Int',
  m: 'Int = 2',
  k: 'Int! = 2',
  id: 'ID! = "z"',
  ids: '[ID!]! = ["p", "q"]',
  codes: '[String!]',
  where: 'Where',
  yes: 'Boolean! = true',
  maybe: 'Boolean = false',
  perhaps: 'Boolean = true',
};
const DIRECTIVES = [
  '@skip(if: $maybe)',
  '@include(if: $perhaps)',
  '@skip(if: $yes)',
  '@include(if: $yes)',
  '@include(if: false)',
  '@skip(if: false)',
];
const DEFERRALS = [
  '@defer',
  '@defer(if: $yes)',
  '@defer(if: $maybe)',
  '@defer(if: $perhaps)',
  '@defer(if: false)',
];
const QUESTIONS = [
  '__schema { types { name fields { name type { name ofType { name } } } } }',
  '__schema { types { fields { args { name } type { fields { name type { name } } } } } }',
  '__type(name: "Thing") { name fields { name @include(if: $maybe) args { name } } }',
  '__schema { directives @skip(if: $perhaps) { args { type { kind } } } queryType { fields { name } } }',
];

/** Makes one. Each field has a key of its own, so that any two may stand side by side. */
export function demandingOperation(random: Random): DemandingOperation {
  let keys = 0;
  const fragments: string[] = [];

  const condition = (): string => (random.chance(25) ? ` ${random.pick(DIRECTIVES)}` : '');
  const deferral = (): string => (random.chance(25) ? ` ${random.pick(DEFERRALS)}` : '');

  const selection = (type: string, levels: number): string => {
    const conditions = CONDITIONS[type];
    if (conditions && random.chance(type === 'Any' ? 100 : 20)) {
      const on = random.pick(conditions);
      return `... on ${on}${condition()}${deferral()} { ${selections(on, levels)} }`;
    }
    if (random.chance(10)) return `...${condition()}${deferral()} { ${selections(type, levels)} }`;
    if (random.chance(8)) {
      const name = `F${fragments.length}`;
      const index = fragments.push('') - 1;
      fragments[index] = `fragment ${name} on ${type} { ${selections(type, levels)} }`;
      return `...${name}${condition()}${deferral()}`;
    }
    if (type === 'Query' && random.chance(8)) {
      keys += 1;
      return `k${keys}: ${random.pick(QUESTIONS)}`;
    }
    const usable = (FIELDS[type] ?? []).filter((field) => levels > 0 || field.type === undefined);
    if (usable.length === 0) return '__typename';
    const field = random.pick(usable);
    keys += 1;
    const given = field.arguments ? random.pick(field.arguments) : '';
    const below = field.type === undefined ? '' : ` { ${selections(field.type, levels - 1)} }`;
    return `k${keys}: ${field.name}${given}${condition()}${below}`;
  };

  const selections = (type: string, levels: number): string =>
    Array.from({ length: 1 + random.below(type === 'Query' ? 3 : 2) }, () => selection(type, levels)).join(
      ' ',
    );

  /** A subscription has one field, without conditions. */
  const event = (): string => {
    const { name, arguments: given = [''] } = random.pick(FIELDS['Subscription'] ?? []);
    return `${name}${random.pick(given)} { ${selections('Thing', 3)} }`;
  };

  const kind = random.chance(15) ? 'subscription' : 'query';
  const body = kind === 'subscription' ? event() : `${selections('Query', 4)} __typename`;
  const rest = `{ ${body} } ${fragments.join(' ')}`;
  return { text: `${kind}${declarationsFor(rest)} ${rest}`, variables: variablesOf(random) };
}

/** Of the variables that a text uses: it may declare no others. */
function declarationsFor(text: string): string {
  const used = new Set([...text.matchAll(/\$(\w+)/g)].map(([, name = '']) => name));
  const declared = [...used].map((name) => `$${name}: ${DECLARATIONS[name]}`);
  return declared.length === 0 ? '' : ` (${declared.join(', ')})`;
}

function variablesOf(random: Random): Readonly<Record<string, unknown>> {
  const ids = Array.from({ length: random.below(7) }, (_, index) => `i${index}`);
  const given: Readonly<Record<string, readonly unknown[]>> = {
    n: [0, 1, 5, null, -3],
    m: [0, 3, null],
    k: [0, 1, 4],
    id: ['w'],
    ids: [ids],
    codes: [ids, null],
    where: [{ ids }, { limit: 2 }, { ids, limit: 1 }, null, {}],
    yes: [true, false],
    maybe: [true, false, false, null],
    perhaps: [true, false, null],
  };
  const chosen = Object.entries(given).flatMap(([name, values]) =>
    random.chance(60) ? [[name, random.pick(values)] as const] : [],
  );
  return Object.fromEntries(chosen);
}

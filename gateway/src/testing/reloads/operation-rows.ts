import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { outcomeAfter, outcomeOf, rowsBelow, type LiveRow, type LiveRows } from './live-row.ts';
import type { ReloadWorld } from './reload-world.ts';

const limits: LiveRows = {
  depth: { to: 1, see: outcomeAfter('{ thing { id } }') },
  aliases: { to: 1, see: outcomeAfter('{ a: open b: open }') },
  rootFields: { to: 1, see: outcomeAfter('{ open long }') },
  directives: { to: 1, see: outcomeAfter('{ open @skip(if: false) @include(if: true) }') },
  cost: { to: 1, see: outcomeAfter('{ open long }') },
  subgraphRequests: { to: 1, see: outcomeAfter('{ thing { note } }') },
  tokens: { to: 3, see: outcomeAfter('{ open long }') },
  selections: { to: 1, see: outcomeAfter('{ open long }') },
  variables: {
    to: 1,
    see: async ({ gateway }) => {
      const query = 'query ($list: [Int!]) { echo(list: $list) }';
      return outcomeOf(await gateway.post({ query, variables: { list: [1, 2, 3] } }));
    },
  },
  batch: {
    to: 1,
    see: async ({ gateway }) => (await gateway.post([{ query: '{ open }' }, { query: '{ long }' }])).status,
  },
  bodyBytes: { to: 100, see: outcomeAfter(`{ open } # ${'x'.repeat(200)}\n`) },
  responseCharacters: { to: 1_000, see: outcomeAfter('{ long }') },
  bidiControls: { to: true, see: outcomeAfter('{ echo(text: "\u{202E}") }') },
};

/** What one number of an estimate comes to. */
const estimate =
  (query: string): LiveRow['see'] =>
  async ({ ask }) =>
    (await ask(query)).body.extensions?.['cost'];

const SHOWS_COST = { extensions: { cost: true } };

const cost: LiveRows = {
  field: { beside: SHOWS_COST, to: 5, see: estimate('{ open }') },
  types: { beside: SHOWS_COST, to: { Thing: 50 }, see: estimate('{ thing { id } }') },
  slicingArguments: { beside: SHOWS_COST, to: ['some'], see: estimate('{ things(some: 70) { id } }') },
  omittedSlice: { beside: SHOWS_COST, to: 90, see: estimate('{ things { id } }') },
  listSize: {
    beside: { ...SHOWS_COST, cost: { slicingArguments: [] } },
    to: 90,
    see: estimate('{ things { id } }'),
  },
};

function referenceTo(query: string): { readonly persistedQuery: { version: 1; sha256Hash: string } } {
  return { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };
}

/** Sends a text with its hash, and then the hash alone. */
const stored =
  (between: (world: ReloadWorld, key: string) => Promise<unknown> = async () => undefined): LiveRow['see'] =>
  async (world) => {
    const query = `{ open } # ${world.next()} ${'-'.repeat(100)}`;
    const extensions = referenceTo(query);
    await world.gateway.post({ query: '{ open }', extensions: referenceTo('{ open }') }); // it may leave nothing for more
    await world.gateway.post({ query, extensions });
    await pause(20);
    const seen = await between(world, `persisted-query:${extensions.persistedQuery.sha256Hash}`);
    return [outcomeOf(await world.gateway.post({ extensions })), seen];
  };

const SAFELIST = { persistedQueries: { mode: 'safelist', manifests: ['open.json'] } };

const textsFor =
  (headers: Readonly<Record<string, string>>): LiveRow['see'] =>
  async ({ gateway }) => {
    const both = [
      await gateway.post({ query: '{ open }' }, headers),
      await gateway.post({ query: '{ long }' }, headers),
    ];
    return both.map(outcomeOf);
  };

const texts = textsFor({});

const persistedQueries: LiveRows = {
  mode: { to: 'off', see: stored() },
  manifests: { beside: SAFELIST, from: ['open.json'], to: ['long.json'], see: texts },
  lists: {
    beside: SAFELIST,
    to: 'lists',
    see: textsFor({ 'graphql-client-name': 'listed' }),
  },
  'clients.<name>.manifests': {
    beside: SAFELIST,
    from: ['open.json'],
    to: ['long.json'],
    see: textsFor({ 'graphql-client-name': 'desk' }),
  },
  enforce: { beside: SAFELIST, to: false, see: texts },
  textBytes: { to: 10, see: stored() },
  memoryBytes: { to: 1, see: stored(({ redis }, key) => redis.del(key)) },
  lifetimeS: { to: 60, see: stored(async ({ redis }, key) => (await redis.ttl(key)) > 60) },
  perCallerHour: { to: 1, see: stored() },
};

/** What an operation may be: its limits, its cost, and what is known of it by its hash. */
export const operationRows: LiveRows = {
  ...rowsBelow('limits', limits),
  ...rowsBelow('cost', cost),
  ...rowsBelow('persistedQueries', persistedQueries),
};

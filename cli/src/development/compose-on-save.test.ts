import { composeSubgraphs, CompositionThread, type SubgraphSchema } from '@trellis/composition';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { changePairs } from '../../testing/change-pairs.ts';
import { ComposeOnSave, type ComposeOnSaveOptions, type CompositionObserver } from './compose-on-save.ts';

const of = (field: string) => [
  { name: 'a', routingUrl: 'http://a', sdl: `type Query { ${field}: Int }`, source: 'a.graphql' },
];

afterEach(() => void vi.restoreAllMocks());

/** Says what has happened. */
function observed(options: ComposeOnSaveOptions = {}): {
  readonly said: string[];
  readonly composing: ComposeOnSave;
} {
  const said: string[] = [];
  const observer: CompositionObserver = {
    composed: async (supergraphSdl) => void said.push(/^ {2}(\w+): Int/m.exec(supergraphSdl)?.[1] ?? ''),
    failed: () => void said.push('failed'),
    proved: () => void said.push('proved'),
    disproved: () => void said.push('disproved'),
    broke: (error) => void said.push(String(error)),
  };
  return { said, composing: new ComposeOnSave(observer, options) };
}

/** Schemas as a feed has them. */
function schemasOf(schemas: Readonly<Record<string, string>>): readonly SubgraphSchema[] {
  return Object.entries(schemas).map(([name, sdl]) => ({
    name,
    sdl,
    routingUrl: `http://${name}`,
    source: `${name}.graphql`,
  }));
}

describe('A thread that composes one save after the other', () => {
  it('makes of each change what composing from nothing makes', async () => {
    const thread = new CompositionThread('apollo');
    const pairs = Object.entries(changePairs).filter((_pair, index) => index % 4 === 0); // all of them take long
    for (const [code, { before, after }] of pairs)
      for (const schemas of [before, after].map(schemasOf)) {
        const { composition } = await thread.compose({ subgraphs: schemas, isProved: false });
        expect(composition, code).toEqual(composeSubgraphs(schemas, { isProved: false }));
      }
    await thread.close();
  });
});

describe('Composing on save', () => {
  it('composes the newest of many saves, not each of them', async () => {
    const { said, composing } = observed();
    await composing.compose(of('first'));
    const compose = vi.spyOn(CompositionThread.prototype, 'compose');
    await Promise.all(['b', 'c', 'd', 'e', 'f'].map((field) => composing.compose(of(field))));
    expect(said).toEqual(['first', 'f']);
    expect(compose.mock.calls.filter(([task]) => task.isProved === false)).toHaveLength(1);
    await expect.poll(() => said.at(-1)).toBe('proved');
    await composing.close();
  });

  it('proves of saves in a row the last one alone', async () => {
    const { said, composing } = observed({ proveAfterMs: 2_000 }); // each is merged in less
    const compose = vi.spyOn(CompositionThread.prototype, 'compose');
    for (const field of ['first', 'b', 'c']) await composing.compose(of(field));
    await expect.poll(() => said.at(-1)).toBe('proved');
    expect(said).toEqual(['first', 'b', 'c', 'proved']);
    expect(compose.mock.calls.filter(([task]) => task.isProved !== false)).toHaveLength(2);
    await composing.close();
  });

  it('takes back what has no plan, though what was saved after it does not compose', async () => {
    const { said, composing } = observed();
    await composing.compose(of('first'));
    const link = gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
    `;
    const unreachable = [
      ...of('first'),
      {
        name: 'b',
        routingUrl: 'http://b',
        sdl: print(gql`
          ${link}
          type Query {
            t: T
          }
          type T @key(fields: "id") {
            id: ID!
          }
        `),
        source: 'b',
      },
      {
        name: 'c',
        routingUrl: 'http://c',
        sdl: print(gql`
          ${link}
          type T @key(fields: "id", resolvable: false) {
            id: ID!
            x: Int
          }
        `),
        source: 'c',
      },
    ];
    await composing.compose(unreachable);
    await composing.compose(of('(mistake'));
    await expect.poll(() => said.toSorted()).toEqual(['disproved', 'failed', 'first', 'first']);
    await composing.close();
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateway } from '@trellis/gateway';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMocks } from '../development/start-mocks.ts';
import { contractCommand, type ContractCall } from './contract-command.ts';
import { runSupergraphCommand } from './supergraph-command.ts';

let directory: TemporaryDirectory;
const file = (name: string): string => join(directory.path, name);
const LINK = print(gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@tag"])
`);

beforeAll(() => {
  directory = createTemporaryDirectory();
  writeFileSync(
    file('supergraph.yaml'),
    'subgraphs:\n  a: { routing_url: "http://a", schema: { file: a.graphql } }\n' +
      'contracts:\n  partners: { exclude: [internal] }\n  empty: { include: [nothing] }\n',
  );
  writeFileSync(file('checks.yaml'), 'contracts: { mobile: { include: [internal] } }\n');
  const tagged = gql`
    ${LINK}
    type Query {
      a: Int
      b: Int @tag(name: "internal")
    }
  `;
  writeFileSync(file('a.graphql'), print(tagged));
});
afterAll(() => directory.remove());

async function run(call: Omit<ContractCall, 'config'> & Partial<ContractCall>) {
  let [out, error] = ['', ''];
  const outcome = await contractCommand(
    { config: file('supergraph.yaml'), ...call },
    { out: (text) => (out += text), error: (text) => (error += text) },
  );
  const hidden = [...out.matchAll(/(\w+): Int(?: @tag\(name: "internal"\))? @inaccessible/g)].map(
    ([, name]) => name,
  );
  return { outcome, hidden, error };
}

describe('trellis contract', () => {
  it('composes contracts of the configuration, of checks.yaml, and of the command line', async () => {
    expect(await run({ name: 'partners' })).toEqual({ outcome: 'passed', hidden: ['b'], error: '' });
    expect(await run({ name: 'mobile' })).toMatchObject({ outcome: 'passed', hidden: ['a'] });
    expect(await run({ name: 'any', include: ['internal'] })).toMatchObject({ hidden: ['a'] });
  });

  it('serves by a gateway what it shows, and nothing that it hides', async () => {
    await run({ name: 'partners', output: file('partners.graphql') });
    const mocks = await startMocks();
    mocks.set('a', readFileSync(file('a.graphql'), 'utf8'));
    const text = readFileSync(file('partners.graphql'), 'utf8').replace(
      '"http://a"',
      `"${mocks.urlOf('a')}"`,
    );
    writeFileSync(file('partners.graphql'), text);
    const served = await gateway.start(
      gateway.readConfig({ PORT: '0', SUPERGRAPH: file('partners.graphql'), NODE_ENV: 'development' }),
      { logger: createLogger({ service: 'gateway', level: 'silent' }), metrics: createMetrics('gateway') },
    );
    const ask = async (query: string): Promise<unknown> => {
      const response = await fetch(`${served.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return response.json();
    };
    try {
      expect(await ask('{ a }')).toEqual({ data: { a: expect.any(Number) as number } });
      expect(await ask('{ b }')).toMatchObject({
        errors: [{ message: expect.stringContaining('"b"') as string }],
      });
      expect(await ask('{ __type(name: "Query") { fields { name } } }')).toEqual({
        data: { __type: { fields: [{ name: 'a' }] } },
      });
    } finally {
      await served.close();
      await mocks.close();
    }
  });

  it('warns where two composers differ, and fails where it is strict', async () => {
    const shared = LINK.replace('"@tag"', '"@tag", "@shareable"');
    const [union, member] = [
      print(gql`
        ${shared}
        type Query {
          m: M @shareable
        }
        type Book {
          id: ID! @shareable
        }
        type Mag {
          id: ID!
        }
        union M = Book | Mag
      `),
      print(gql`
        ${shared}
        type Query {
          m: Book @shareable
        }
        type Book {
          id: ID! @shareable
        }
      `),
    ].map((sdl) => ({ routing_url: 'http://a', schema: { sdl } }));
    writeFileSync(file('differing.yaml'), JSON.stringify({ subgraphs: { union, member } }));
    const call = { name: 'any', exclude: ['internal'], config: file('differing.yaml') };
    const { outcome, error } = await run(call);
    expect({ outcome, error }).toEqual({
      outcome: 'passed',
      error: expect.stringMatching(/^warning: COMPOSERS_DIFFER: /) as string,
    });
    expect(await run({ ...call, composers: 'strict' })).toMatchObject({
      outcome: 'failed',
      error: expect.stringMatching(/^error: COMPOSERS_DIFFER: /) as string,
    });
    expect(await run({ ...call, composers: 'apollo' })).toMatchObject({
      outcome: 'passed',
      error: expect.not.stringContaining('COMPOSERS_DIFFER') as string,
    });
    const lint = (...args: readonly string[]): Promise<number> =>
      runSupergraphCommand(['lint', '--config', call.config, ...args], {
        out: (text) => (linted += text),
        error: () => undefined,
      });
    let linted = '';
    expect([await lint(), await lint('--composers', 'strict')]).toEqual([0, 1]);
    expect(linted).toMatch(/^warning: COMPOSERS_DIFFER: [^]*^error: COMPOSERS_DIFFER: /m);
  });

  it('fails where the contract does not compose, or there is none', async () => {
    expect(await run({ name: 'empty' })).toEqual({
      outcome: 'failed',
      hidden: [],
      error: 'error: INVALID_CONTRACT: The contract empty does not compose: no query is left\n',
    });
    await expect(run({ name: 'other' })).rejects.toThrow(
      'There is no contract other; there are: partners, empty, mobile.',
    );
  });

  it('is composed by each check', async () => {
    const before = file('before.graphql');
    const output = { out: () => undefined, error: () => undefined };
    const config = ['--config', file('supergraph.yaml'), '--composers', 'apollo'];
    expect(await runSupergraphCommand(['compose', ...config, '--output', before], output)).toBe(0);
    let out = '';
    const status = await runSupergraphCommand(['check', '--against', before, ...config, '--format', 'json'], {
      ...output,
      out: (text) => (out += text),
    });
    expect(status).toBe(1);
    expect(out).toContain('The contract empty does not compose');
  });
});

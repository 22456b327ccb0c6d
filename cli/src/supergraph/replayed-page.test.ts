import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TAG_LINK } from '../../testing/federation-link.ts';
import { pageCommands } from '../../testing/page-commands.ts';
import { trellis, type CommandRun } from '../../testing/run-command.ts';

const USERS = print(gql`
  ${TAG_LINK}
  type Query {
    me: String @tag(name: "public")
    draft: Int @tag(name: "beta")
    secret: Int @tag(name: "internal")
  }
`);

/** With the contract that the page has in its example. */
const CONFIGURATION = `subgraphs:
  users: { routing_url: "http://users.test/", schema: { file: users.graphql } }
contracts:
  partners: { include: [public], exclude: [internal] }
`;

let folder: string;
const before = process.cwd();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-page-'));
  writeFileSync(join(folder, 'users.graphql'), USERS);
  writeFileSync(join(folder, 'supergraph.yaml'), CONFIGURATION);
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

it('docs/composition.md: contracts of a configuration and of tags are composed by its commands', async () => {
  const runs: CommandRun[] = [];
  for (const { words } of pageCommands('composition.md', 'replayed')) runs.push(await trellis(...words));
  expect(runs.map(({ status, error }) => [status, error])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  const hidden = (supergraph = ''): readonly string[] =>
    [...supergraph.matchAll(/^ *(\w+): \w+ .*@inaccessible$/gm)].map(([, field = '']) => field);
  const partners = readFileSync('partners.graphql', 'utf8');
  expect([hidden(partners), hidden(runs[1]?.out)]).toEqual([
    ['draft', 'secret'],
    ['draft', 'secret'],
  ]);
});

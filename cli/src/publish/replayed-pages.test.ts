import { readFile } from 'node:fs/promises';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { FolderRegistry } from '../../testing/folder-registry.ts';
import { TAG_LINK } from '../../testing/federation-link.ts';
import { pageCommands, type PageCommand } from '../../testing/page-commands.ts';
import { startSdlServer } from '../../testing/sdl-server.ts';
import { trellis, type CommandRun } from '../../testing/run-command.ts';

const USERS = print(gql`
  type Query {
    me: String
    draft: Int @tag(name: "beta")
    secret: Int @tag(name: "internal")
  }
`);

let registry: FolderRegistry;
const before = process.cwd();

// What the pages name is in the folder where their commands run.
beforeAll(async () => {
  registry = await FolderRegistry.create();
  process.chdir(registry.folder);
});
afterAll(async () => {
  process.chdir(before);
  await registry.close();
});
beforeEach(() => registry.begin());

async function publish(
  environment: string,
  { sdl = USERS, url = 'http://users.test/graphql' }: { readonly sdl?: string; readonly url?: string } = {},
  ...more: readonly string[]
): Promise<void> {
  const schema = await registry.write('users.graphql', TAG_LINK + sdl);
  const place = ['--schema', schema, '--routing-url', url];
  const published = await trellis(
    'publish',
    '--subgraph',
    'users',
    ...place,
    '--graph',
    `content@${environment}`,
    ...more,
  );
  expect(published).toMatchObject({ status: 0 });
}

/** Runs commands of a page, one after the other. @param isRun which. @default all */
async function replay(
  page: string,
  isRun: (command: PageCommand) => boolean = () => true,
): Promise<readonly CommandRun[]> {
  const runs: CommandRun[] = [];
  for (const { words } of pageCommands(page, 'replayed').filter(isRun)) {
    const ran = await trellis(...words);
    expect([words.join(' '), ran.status, ran.error]).toEqual([words.join(' '), 0, '']);
    runs.push(ran);
  }
  return runs;
}

const isOfContracts = ({ words }: PageCommand): boolean => words.some((word) => /^(--)?contract$/.test(word));

it('docs/operate-the-registry.md: a contract is published, listed, written and ended by its commands', async () => {
  vi.stubEnv('TRELLIS_GRAPH', 'content@staging'); // as the page has exported it
  await publish('staging');
  const [published, listed, written, ended, ...more] = await replay('operate-the-registry.md', isOfContracts);
  expect([published?.out, listed?.out]).toEqual([
    expect.stringMatching(/published: content@staging 2, .*contracts: partners\n$/),
    'partners: exclude beta, internal\n',
  ]);
  expect(written?.out).toBe('');
  expect(await readFile('partners.graphql', 'utf8')).toMatch(
    /draft: Int .*@inaccessible[^]*secret: Int .*@inaccessible/,
  );
  expect([ended?.out, more]).toEqual([expect.stringMatching(/published: content@staging 3/), []]);
});

it('docs/operate-the-registry.md: a change is checked, a release comes back as what runs serves it, a key is replaced by its commands', async () => {
  vi.stubEnv('TRELLIS_GRAPH', 'content@staging');
  const running = await startSdlServer(TAG_LINK + USERS);
  onTestFinished(() => running.close());
  await publish('staging', { url: running.url });
  const unused = await registry.write('none.jsonl', '{"format":"trellis-operations/1","complete":true}\n');
  const without = { sdl: USERS.replace('me: String', ''), url: running.url };
  await publish('staging', without, '--operations', unused);
  // What was published last does not serve it; what runs does.
  expect((await trellis('rollback')).status).toBe(1);
  await registry.write('users.graphql', `${TAG_LINK}${USERS.replace('me: String', 'you: Int')}`);
  const isOther = (command: PageCommand): boolean => !isOfContracts(command);
  const [checked, rolledBack, , replaced, ...more] = await replay('operate-the-registry.md', isOther);
  expect([checked?.out, rolledBack?.out, replaced?.out, more]).toEqual([
    expect.stringContaining('Query.you'),
    expect.stringContaining('content@staging 3'),
    expect.stringContaining('content@staging 4'),
    [],
  ]);
  // The next key signs from now on, the old one no more.
  const change = ['publish', '--subgraph', 'users', '--schema', 'users.graphql', '--operations', unused];
  expect((await trellis(...change)).status).toBe(77);
  expect(await trellis(...change, '--key', 'next.json')).toMatchObject({ status: 0 });
});

it('docs/follow-the-registry.md: variants are set, opened by a token and ended by its commands', async () => {
  vi.stubEnv('TRELLIS_GRAPH', 'content@production');
  for (const environment of ['production', 'staging', 'preview-123']) await publish(environment);
  const keys = JSON.parse((await trellis('keys', 'new', '--file', 'preview.json')).out) as JSONWebKeySet; // of our own
  const [canary, preview, token, removed, ...more] = await replay('follow-the-registry.md');
  expect([canary?.out, preview?.out, removed?.out, more]).toEqual([
    'variant canary set: content@production 2, variants: canary\n',
    'variant preview set: content@production 3, variants: canary, preview\n',
    'variant canary removed: content@production 4, variants: preview\n',
    [],
  ]);
  const { payload } = await jwtVerify(token?.out.trim() ?? '', createLocalJWKSet(keys), {
    audience: 'content@production',
  });
  expect([payload['variant'], Number(payload.exp) - Number(payload.iat)]).toEqual(['preview', 8 * 3_600]);
});

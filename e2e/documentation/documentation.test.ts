import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { codeBlocks, documentationPages, repository } from './code-blocks.ts';
import { readCommands, runSession } from './console-session.ts';
import { matchesExample } from './matches-example.ts';

/** Followed to the letter by a test, or a proof, of its own. */
const GUIDES = new Set(['docs/add-a-subgraph.md', 'docs/packages.md', 'docs/user-context.md']);

const pages = documentationPages();
const blocks = pages.filter((page) => !GUIDES.has(page)).flatMap(codeBlocks);

/** Why a shell block of a page is not run here. `replayed`: by the test that scripts/docs/replayed-pages.test.ts has for the page. */
const reasonsNotToRun = new Set(['docker', 'long-running', 'replayed']);

describe.each(pages.filter((page) => codeBlocks(page).some(({ language }) => language === 'console')))(
  'The commands of %s',
  (page) => {
    it('do what the page says, one after the other', { timeout: 180_000 }, async () => {
      const commands = codeBlocks(page)
        .filter(({ language }) => language === 'console')
        .flatMap(readCommands);
      const here = commands.map((command) => ({ ...command, command: atSharedPlatform(command.command) }));
      const outcomes = await runSession(here, sharedPlatform().environment);
      for (const [index, { place, command, expected }] of commands.entries()) {
        const { status, output } = outcomes[index] ?? { status: -1, output: '' };
        expect(status, `${place}: ${command}\n${output}`).toBe(0);
        if (expected === '') continue;
        const shown = atDocumentedAddresses(output);
        expect(matchesExample(shown, expected), `${place}: ${command}\nprinted\n${shown}`).toBe(true);
      }
    });
  },
);

describe('Blocks of the documentation', () => {
  it('are of a language whose examples are checked', () => {
    const known = new Set([
      'console',
      'graphql',
      'javascript',
      'json',
      'mermaid',
      'sh',
      'text',
      'typescript', // of pages whose tests find it in the sources
      'yaml',
    ]);
    const unknown = blocks.filter(({ language }) => !known.has(language));
    expect(unknown.map(({ page, line, language }) => `${page}:${line}: ${language}`)).toEqual([]);
  });

  it('say why, where they are commands that are not run', () => {
    const shell = blocks.filter(({ language }) => language === 'sh');
    expect(shell.filter(({ note }) => !reasonsNotToRun.has(note))).toEqual([]);
  });

  it('are on the pages whose programs are run, where they are programs', () => {
    const programs = blocks.filter(({ language }) => language === 'javascript');
    const areRun = (page: string): boolean => page.startsWith('docs/clients/') || page === 'docs/relay.md';
    expect(programs.filter(({ page }) => !areRun(page))).toEqual([]);
    const quoted = blocks.filter(({ language }) => language === 'typescript');
    const isQuoted = (page: string): boolean =>
      page.startsWith('docs/tutorial/') || page === 'docs/uploads.md';
    expect(quoted.filter(({ page }) => !isQuoted(page))).toEqual([]);
  });

  it('are JSON where they say so', () => {
    for (const { language, text, page, line } of blocks)
      if (language === 'json') expect(() => JSON.parse(text) as unknown, `${page}:${line}`).not.toThrow();
  });

  it('name only npm commands that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      scripts: object;
    };
    const text = pages.map((page) => readFileSync(join(repository, page), 'utf8')).join('\n');
    const named = [...text.matchAll(/npm run (?:-s )?([a-z][\w-]*)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

const printToken = { place: '', command: 'npm run -s token', expected: '' };

describe('GraphQL examples', () => {
  const examples = blocks.filter(({ language }) => language === 'graphql');
  let token: string | undefined;

  beforeAll(async () => {
    const session = await runSession([printToken], sharedPlatform().environment);
    token = session[0]?.output.trim();
  });

  it.each(examples.map((example) => [`${example.page}:${example.line}`, example] as const))(
    '%s is answered without errors',
    async (_place, { text }) => {
      const { graph } = sharedPlatform().addresses;
      const response = await fetch(graph, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          accept: text.includes('@live') ? 'text/event-stream, application/json' : 'application/json',
        },
        body: JSON.stringify({ query: text }),
        signal: AbortSignal.timeout(10_000),
      });
      const result = JSON.parse(await firstResult(response)) as { readonly errors?: unknown };
      expect(result.errors).toBeUndefined();
      expect(response.status).toBe(200);
    },
  );
});

/** The body; of a stream its first event. */
async function firstResult(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  let received = '';
  for await (const chunk of response.body ?? []) {
    received += Buffer.from(chunk as Uint8Array).toString();
    const [, data] = /^data: (.+)\n\n/m.exec(received) ?? [];
    if (data !== undefined) return data;
  }
  throw new Error(`The stream ended without a result: ${received}`);
}

describe('Links of the documentation', () => {
  it.each(pages)('%s leads to pages and headings that exist', (page) => {
    const text = readFileSync(join(repository, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target]) => target ?? '');
    expect(links.filter((target) => !leadsSomewhere(page, target))).toEqual([]);
  });
});

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(repository, page) : join(repository, dirname(page), path);
  if (!existsSync(file)) return false;
  if (anchor === undefined) return true;
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  );
  return headings.includes(anchor);
}

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** The pages speak of the default addresses and folder; the platform of the tests has others. */
function addressPairs(): readonly (readonly [documented: string, actual: string])[] {
  const { addresses, environment } = sharedPlatform();
  const host = (url: string): string => new URL(url).host;
  return [
    ['.data/', `${environment['DATA_DIR']}/`],
    ['localhost:4000', host(addresses.gateway)],
    ['localhost:4001', host(addresses.issuer)],
    ['localhost:4011', host(addresses.subgraphs.users)],
    ['localhost:4012', host(addresses.subgraphs.posts)],
    ['localhost:4013', host(addresses.subgraphs.comments)],
    ['localhost:4014', host(addresses.subgraphs.search)],
    ['127.0.0.1:9464', host(addresses.operations)],
  ];
}

function atSharedPlatform(text: string): string {
  return addressPairs().reduce((result, [documented, actual]) => result.replaceAll(documented, actual), text);
}

function atDocumentedAddresses(text: string): string {
  return addressPairs().reduce((result, [documented, actual]) => result.replaceAll(actual, documented), text);
}

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryDirectory } from '@trellis/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph } from '../harness/ask-graph.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';
import { openReader, signInAt, type Reader } from '../harness/web-application.ts';
import { codeBlocks, repository } from './code-blocks.ts';

const run = promisify(execFile);
const application = join(repository, 'examples/web');
const programOf = (name: string, path: string): string =>
  join(createRequire(join(application, 'package.json')).resolve(`${name}/package.json`), '..', path);
const tsc = programOf('typescript', 'bin/tsc');
const vite = programOf('vite', 'bin/vite.js');

interface Step {
  readonly page: string;
  readonly title: string;
}
const steps = (
  JSON.parse(readFileSync(join(application, 'tutorial/steps.json'), 'utf8')) as readonly Step[]
).map((step, index) => ({ ...step, tag: `step-${index + 1}` }));

/** What a user sees at each step but the last: that one is the sample application, which has tests of its own. */
const sights: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'step-1': (page) => page.getByRole('button', { name: 'Sign out' }).waitFor(),
  'step-2': (page) => page.getByRole('article').nth(11).waitFor(),
  'step-3': async (page) => {
    await page.goto(`${sharedPlatform().addresses.web}/posts/${await discussedPost()}`);
    await page.locator('.comment').first().waitFor();
  },
  'step-4': (page) => page.locator('.presence').waitFor(),
  'step-5': (page) => seePost(page, (post) => post.getByLabel('Your comment').waitFor()),
};

const before = steps.slice(0, -1);

describe('The tutorial', { timeout: 120_000 }, () => {
  const directory = createTemporaryDirectory();
  const made = join(directory.path, 'made');
  const folderOf = (tag: string): string => join(directory.path, tag);

  beforeAll(async () => {
    await run(process.execPath, [join(application, 'tutorial/make-steps.mjs'), made]);
    for (const { tag } of steps) {
      await run('git', ['worktree', 'add', '--quiet', folderOf(tag), tag], { cwd: made });
      symlinkSync(join(application, 'node_modules'), join(folderOf(tag), 'node_modules'));
    }
  });
  afterAll(() => directory.remove());

  it('ends with the sample application', async () => {
    const { stdout } = await run('git', ['log', '--format=%s', '--reverse'], { cwd: made });
    expect(stdout.trim().split('\n')).toEqual(steps.map(({ title }, index) => `${index + 1}. ${title}`));
    const last = folderOf(steps.at(-1)?.tag ?? '');
    for (const part of ['src', 'public', 'index.html', 'vite.config.ts'])
      await run('diff', ['--recursive', join(last, part), join(application, part)]);
  });

  it.concurrent.each(before)('$tag passes the type check and can be built', async ({ tag }) => {
    const cwd = folderOf(tag);
    await run(process.execPath, [tsc, '--project', '.', '--incremental', 'false'], { cwd });
    await run(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd });
  });

  it.each(steps)('docs/tutorial/$page quotes the sources of $tag', ({ page, tag }) => {
    const blocks = codeBlocks(`docs/tutorial/${page}`).filter(({ language }) => language === 'typescript');
    expect(blocks.length).toBeGreaterThan(0);
    for (const { note: path, text, line } of blocks)
      expect(withoutMargin(readFileSync(join(folderOf(tag), path), 'utf8')), `${page}:${line}`).toContain(
        withoutMargin(text),
      );
  });

  describe.skipIf(!chromiumPath)(`in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`, () => {
    let browser: Browser;
    let reader: Reader;

    beforeAll(async () => {
      browser = await startChromium();
      reader = await openReader(browser);
      await reader.context.grantPermissions(['local-network-access']); // what is put in their place has no address
      await signInAt(reader.page, demoPeople.ed);
    });
    afterAll(() => browser.close());

    it.each(before)('$tag shows what its page says', async ({ tag }) => {
      const { context, page, complaints } = reader;
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await servesFrom(page, join(folderOf(tag), 'dist'));
      await page.goto(sharedPlatform().addresses.web);
      await sights[tag]?.(page);
      expect(complaints).toEqual([]);
    });
  });
});

/** The files of a build in the place of those that the platform serves; its /config.json stays. */
async function servesFrom(page: Page, dist: string): Promise<void> {
  await page.context().route(`${sharedPlatform().addresses.web}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/config.json') return route.continue();
    const file = join(dist, extname(pathname) === '' ? 'index.html' : pathname);
    return existsSync(file) ? route.fulfill({ path: file }) : route.fulfill({ status: 404 });
  });
}

interface Discussed {
  readonly posts: readonly { readonly id: string; readonly commentCount: number }[];
}

/** A post with comments: those at the top are of other tests, and may have none. */
async function discussedPost(after?: string): Promise<string> {
  const { graph, issuer } = sharedPlatform().addresses;
  const token = await new TokenBook(issuer).of('ed');
  const query = 'query ($after: ID) { posts(first: 100, after: $after) { id commentCount } }';
  const { data } = await askGraph<Discussed>(graph, { query, variables: { after }, token });
  const posts = data?.posts ?? [];
  const last = posts.at(-1);
  if (!last) throw new Error('There is no post with comments.');
  return posts.find(({ commentCount }) => commentCount > 0)?.id ?? discussedPost(last.id);
}

async function seePost(page: Page, see: (page: Page) => Promise<void>): Promise<void> {
  await page.getByRole('article').nth(1).getByRole('link').click();
  await see(page);
}

/** Excerpts may stand further to the left than in their file. */
function withoutMargin(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

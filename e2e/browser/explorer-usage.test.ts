import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFitting, expectUsable } from '../harness/accessibility.ts';
import { askGraph } from '../harness/ask-graph.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { eventually } from '../harness/deadline.ts';
import { openExplorer } from '../harness/explorer-page.ts';
import { startGateway, type GatewayProcess } from '../harness/gateway-process.ts';
import { root } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import type { WatchedPage } from '../harness/watched-page.ts';

const { addresses } = sharedPlatform();
const HOSTILE = '<img src=x onerror=alert(1)>';
/** Of this machine, as its operator says, but not localhost: others may come by it. */
const OTHER_NAME = 'graph.example';
/** What Chromium says of any page by http under such a name. */
const UNTRUSTWORTHY = 'Cross-Origin-Opener-Policy';

interface FieldUser {
  readonly name: string;
  readonly requests: number;
  readonly lastUsed: string;
}

describe.skipIf(!chromiumPath)(
  `Who uses a field, in the explorer in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    const directory = createTemporaryDirectory();
    let browser: Browser;
    let gateway: GatewayProcess;
    let home: string;
    let explorer: WatchedPage;

    beforeAll(async () => {
      const config = join(directory.path, 'gateway.yaml');
      const usage = { directory: join(directory.path, 'usage') };
      writeFileSync(config, JSON.stringify({ usage, http: { hosts: [OTHER_NAME] } }));
      gateway = await startGateway({
        supergraph: join(root, 'graph/supergraph.graphql'),
        args: ['--config', config],
      });
      home = new URL(gateway.graph).origin;
      browser = await startChromium([`--host-resolver-rules=MAP ${OTHER_NAME} 127.0.0.1`]);
      explorer = await openExplorer(browser, { gateway: home });
    }, 400_000);
    afterAll(async () => {
      await gateway?.stop();
      await browser?.close();
      directory.remove();
    });

    /** What a client sends is recorded, whether or not it may have it. */
    async function send(query: string, name: string, version?: string): Promise<void> {
      const headers = {
        'apollographql-client-name': name,
        ...(version !== undefined && { 'apollographql-client-version': version }),
      };
      await askGraph(gateway.graph, { query, headers });
    }

    /** Waits until as many requests are counted: that may be a moment after the response. */
    async function counted(field: string, requests: number): Promise<readonly FieldUser[]> {
      const load = async (): Promise<readonly FieldUser[]> => {
        const response = await fetch(`${home}/explorer/field-users?field=${field}`);
        return ((await response.json()) as { readonly users: readonly FieldUser[] }).users;
      };
      return eventually(load, (users) => users.reduce((sum, user) => sum + user.requests, 0) >= requests);
    }

    async function showField(page: Page, field: string): Promise<Locator> {
      await page.getByRole('tab', { name: 'Documentation' }).click();
      await page.getByLabel('Search types and fields').fill(field.split('.')[1] ?? '');
      await page.getByRole('button', { name: field, exact: true }).click();
      await page.getByRole('heading', { name: field }).waitFor();
      return page.getByRole('region', { name: 'Used by, since the start of the gateway' });
    }

    it('are clients with their versions, how often and when last, the most frequent first', async () => {
      await send('query Titles { posts(first: 1) { title } }', 'web', '2.1');
      await send('{ posts(first: 2) { ...T } } fragment T on Post { title }', 'web', '2.1');
      await send('query Titles { posts(first: 1) { title } }', HOSTILE);
      await send('query Ids { posts(first: 1) { id } }', 'ios', '9');
      const users = await counted('Post.title', 3);
      const [webAt, otherAt] = users.map(({ lastUsed }) => new Date(lastUsed).toLocaleString('en-GB'));
      const panel = await showField(explorer.page, 'Post.title');
      await panel.waitFor();
      expect(await panel.getByRole('listitem').allInnerTexts()).toEqual([
        `web 2.1 2 requests, the last ${webAt}`,
        `${HOSTILE} 1 request, the last ${otherAt}`,
      ]);
      await expectUsable(explorer.page, 'en-GB');
      await expectFitting(explorer.page);
      expect(explorer.wrongs).toEqual([]);
    });

    it('is no client before one has sent the field, and who has run it in the explorer afterwards', async () => {
      const { page } = explorer;
      const panel = await showField(page, 'Comment.body');
      await panel.getByText('No client has sent it since the start of the gateway.').waitFor();
      await page
        .getByRole('textbox', { name: 'Operation' })
        .fill('{ posts(first: 1) { comments(limit: 1) { body } } }');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await counted('Comment.body', 1);
      await (await showField(page, 'Comment.body')).getByText('unknown').waitFor();
      expect(await panel.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/^unknown 1 request, the last /),
      ]);
    });

    it.each([
      ['to a page that came by another name than localhost', () => home.replace('localhost', OTHER_NAME)],
      ['where nothing is recorded', () => addresses.gateway],
    ])('is not shown %s, nor given: the documentation is whole without it', async (_where, at) => {
      const other = await openExplorer(browser, { gateway: at() });
      const asked: string[] = [];
      other.page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
      const panel = await showField(other.page, 'Post.title');
      await other.page.getByText('from posts', { exact: true }).waitFor();
      const wrongs = other.wrongs.filter((wrong) => !wrong.includes(UNTRUSTWORTHY));
      const status = await other.page.evaluate<number>(
        "fetch('/explorer/field-users?field=Post.title').then(({ status }) => status)",
      );
      expect([wrongs, status, await panel.count()]).toEqual([[], 404, 0]);
      expect(asked.filter((path) => path.includes('users'))).toHaveLength(1); // the one above
      await other.context.close();
    });
  },
);

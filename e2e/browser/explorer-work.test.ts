import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFitting, expectReachable, expectUsable } from '../harness/accessibility.ts';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { openCutNetwork } from '../harness/cut-network.ts';
import { demoPeople } from '../harness/demo-people.ts';
import { openExplorer, signInToExplorer } from '../harness/explorer-page.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { showFailedPage } from '../harness/show-failed-page.ts';
import { TokenBook } from '../harness/token-book.ts';
import type { WatchedPage } from '../harness/watched-page.ts';

const { gateway, graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

describe.skipIf(!chromiumPath)(
  `Work in the explorer in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let explorer: WatchedPage;
    let page: Page;
    beforeAll(async () => {
      browser = await startChromium();
      explorer = await openExplorer(browser);
      ({ page } = explorer);
      await signInToExplorer(page, demoPeople.ada);
    });
    afterAll(() => browser.close());
    showFailedPage(() => explorer);

    const response = (): ReturnType<Page['getByRole']> => page.getByRole('region', { name: 'Response' });
    const tabs = (): Promise<readonly string[]> =>
      page.getByRole('navigation', { name: 'Operations' }).getByRole('listitem').allInnerTexts();

    it('draws a live query again when what it shows has changed', async () => {
      await writeOperation(page, 'query @live { posts(first: 3) { title } }');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText(/^Streaming: [1-9]/).waitFor();
      const title = `Drawn again ${Date.now()}`;
      const query =
        'mutation ($title: String!) { createPost(input: { title: $title, body: "Yes." }) { success } }';
      dataOf(await askGraph(graph, { query, variables: { title }, token: await tokens.of('ed') }));
      await expect.poll(() => response().innerText()).toContain(title);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Stopped').waitFor();
    });

    it('has all that is typed, however slow the browser draws', async () => {
      await page.getByRole('button', { name: 'New tab' }).click();
      const cdp = await explorer.context.newCDPSession(page);
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: 20 });
      const text = 'query Typed { me { role } }';
      const editor = page.getByRole('textbox', { name: 'Operation' });
      await editor.focus();
      try {
        for (const character of text) await page.keyboard.insertText(character);
      } finally {
        await cdp.detach(); // which ends the throttling
      }
      await expect.poll(() => editor.innerText()).toContain('role');
      expect(await editor.innerText()).toBe(text);
      await page.getByRole('button', { name: 'Close Typed' }).click();
    });

    it('runs a mutation once, with variables from their form', async () => {
      const title = `Written in the explorer ${Date.now()}`;
      await page.getByRole('button', { name: 'New tab' }).click();
      await writeOperation(
        page,
        'mutation Write($title: String!) { createPost(input: { title: $title, body: "By hand." }) { success post { id title } } }',
      );
      await page.getByRole('tab', { name: 'Variables' }).click();
      await page.getByLabel('$title: String!').fill(title);
      await page.getByText(/^Estimated cost \d+ of/).waitFor(); // which changes nothing
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText(/^\d+ ms, /).waitFor();
      expect(await response().innerText()).toContain(title);
      const query = '{ posts(first: 20) { title } }';
      const asked = { query, token: await tokens.of('ada') };
      const { posts } = dataOf(
        await askGraph<{ readonly posts: readonly { readonly title: string }[] }>(graph, asked),
      );
      expect(posts.filter((post) => post.title === title)).toHaveLength(1);
    });

    it('draws a plan of many fetches whole, 1,280 px wide, with what each of them found in a cache', async () => {
      await page.getByRole('button', { name: 'New tab' }).click();
      await writeOperation(
        page,
        '{ me { name } posts(first: 5) { author { name } commentCount comments(limit: 2) { body author { name } } } }',
      );
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText(/^\d+ ms, /).waitFor();
      const picture = page.getByRole('img', { name: /^\d+ fetches, [\d.]+ ms$/ });
      await picture
        .getByText(/^Cache hits: \d+ \/ \d+$/)
        .first()
        .waitFor();
      expect(await picture.locator('.fetch').count()).toBeGreaterThan(3);
      const [shown, drawn] = await picture.evaluate(({ parentElement }) => [
        parentElement?.clientWidth ?? 0,
        parentElement?.scrollWidth ?? 0,
      ]);
      expect(drawn).toBeLessThanOrEqual(shown ?? 0);
      await page.getByText('As a table').click();
      await page.getByRole('columnheader', { name: 'Cache hits' }).waitFor();
      await expectUsable(page, 'en-GB');
    });

    it('has the operations in tabs, which stay when the page is loaded again; and those that were run in a history', async () => {
      await page.getByRole('button', { name: 'Who am I?' }).click();
      await page.getByText(/^\d+ ms, /).waitFor();
      await page.getByRole('button', { name: 'New tab' }).click();
      await writeOperation(page, 'query Mine { me { role } }');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await response().getByText('"ADMIN"').waitFor();
      expect((await tabs()).map((title) => title.split('\n')[0]).slice(-2)).toEqual(['Me', 'Mine']);
      await page.reload();
      expect((await tabs()).map((title) => title.split('\n')[0]).slice(-2)).toEqual(['Me', 'Mine']);
      await page.getByRole('button', { name: 'Close Mine' }).click();
      expect((await tabs()).some((title) => title.startsWith('Mine'))).toBe(false);
      await page.getByRole('tab', { name: 'History' }).click();
      await expectUsable(page, 'en-GB');
      await page.getByRole('button', { name: 'Mine', exact: true }).click();
      await page.getByRole('textbox', { name: 'Operation' }).getByText('role').waitFor();
      await page.getByRole('button', { name: 'Clear the history' }).click();
      await page.getByText('Operations that you run appear here.').waitFor();
      await page.getByRole('tab', { name: 'Examples' }).click();
    });

    it('sends headers, which win over the session’s token, and end with the tab', async () => {
      await page.getByRole('tab', { name: 'Headers' }).click();
      const secret = 'Bearer nonsense';
      await page.getByRole('textbox', { name: 'Headers' }).fill(JSON.stringify({ authorization: secret }));
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await response().getByText('UNAUTHENTICATED', { exact: false }).first().waitFor();
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('nonsense');
      await page.reload();
      await page.getByRole('tab', { name: 'Headers' }).click();
      await page.getByRole('textbox', { name: 'Headers' }).getByText(secret).waitFor();
      const later = await explorer.context.newPage();
      await later.goto(page.url());
      await later.getByRole('tab', { name: 'Headers' }).click();
      expect(await later.getByRole('textbox', { name: 'Headers' }).innerText()).not.toContain('nonsense');
      await later.close();
      await page.getByRole('textbox', { name: 'Headers' }).fill('[');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: 'Headers: not a JSON object' }).waitFor();
      await expectUsable(page, 'en-GB');
      await page.getByRole('textbox', { name: 'Headers' }).fill('');
      explorer.wrongs.splice(0); // the browser reports the 401
    });

    it('has a form for variables of every kind, and the cost of what is asked for before it is sent', async () => {
      await page.getByRole('button', { name: 'New tab' }).click();
      await writeOperation(
        page,
        'query Several($first: Int = 3, $id: ID!, $with: Boolean!) { posts(first: $first) { id title @include(if: $with) } node(id: $id) { id } }',
      );
      await page.getByRole('tab', { name: 'Variables' }).click();
      await page.getByLabel('$id: ID!').fill('none');
      await page.getByLabel('$with: Boolean!').selectOption('true');
      const cost = page.getByText(/^Estimated cost \d+ of 10,000$/);
      await cost.waitFor();
      const cheap = await cost.innerText();
      await page.getByLabel('$first: Int').fill('100');
      await expect.poll(() => cost.innerText()).not.toBe(cheap);
      await expectUsable(page, 'en-GB');
      await expectReachable(page);
    });

    it('finds fields by name and description, each with its owner, cost and rights, and shows their pages', async () => {
      await page.getByRole('tab', { name: 'Documentation' }).click();
      await page.getByLabel('Search types and fields').fill('posts');
      const found = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('button', { name: 'Query.posts', exact: true }) });
      for (const fact of ['from posts', 'cost 5', 'scope read:data'])
        await found.getByText(fact, { exact: true }).waitFor();
      await expectUsable(page, 'en-GB');
      await found.getByRole('button').click();
      await page.getByRole('heading', { name: 'Query.posts' }).waitFor();
      await page.getByText('How many posts, 0 to 100.').waitFor();
      await page.getByRole('button', { name: '[Post!]!' }).first().click();
      await page.getByRole('heading', { name: 'Post', exact: true }).waitFor();
      const members = page.locator('.members > li');
      for (const member of await members.all()) expect(await member.getByText(/^from /).count()).toBe(1);
    });

    it('is read from the right where its language is, but for code and the plan', async () => {
      await page.evaluate(() => {
        document.documentElement.dir = 'rtl';
      });
      const directions = await page.evaluate(() =>
        ['.cm-content', 'pre', 'svg', '.panel-tabs', '.toolbar', 'h2.code'].map((selector) => {
          const found = document.querySelector(selector);
          return found ? `${selector} ${getComputedStyle(found).direction}` : `${selector} absent`;
        }),
      );
      expect(directions.filter((one) => !one.endsWith('absent')).length).toBeGreaterThan(3);
      for (const one of directions)
        expect(one).toMatch(
          /^(?:\.cm-content|pre|svg|h2\.code) (?:ltr|absent)$|^(?:\.panel-tabs|\.toolbar) rtl$/,
        );
      await expectUsable(page, 'en-GB');
      await expectFitting(page);
    });

    it('shows that the gateway can’t be reached, and heals by itself', async () => {
      const network = await openCutNetwork(gateway);
      const lossy = await openExplorer(browser, {
        gateway: network.url,
        path: '/explorer?query=%7B__typename%7D',
      });
      await lossy.page.getByText(/^Estimated cost/).waitFor();
      network.cut();
      await lossy.page.getByRole('button', { name: 'Run', exact: true }).click();
      await lossy.page.getByRole('status').filter({ hasText: 'The request failed: ' }).waitFor();
      await expectUsable(lossy.page, 'en-GB');
      network.mend();
      await lossy.page.getByRole('button', { name: 'Run', exact: true }).click();
      await lossy.page.getByText(/^\d+ ms, /).waitFor();
      await lossy.page.route('**/graphql', (route) => route.abort('connectionfailed'));
      await lossy.page.reload();
      await lossy.page.getByText('The schema can’t be loaded: ').waitFor();
      await expectUsable(lossy.page, 'en-GB');
      await lossy.page.unroute('**/graphql');
      await lossy.page
        .getByText('The schema can’t be loaded: ')
        .waitFor({ state: 'detached', timeout: 90_000 });
      await lossy.page.getByText(/^Estimated cost/).waitFor();
      await lossy.context.close();
      await network.close();
      expect(explorer.wrongs).toEqual([]);
    });
  },
);

/** Writes over what is in the editor. */
async function writeOperation(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Operation' }).fill(text);
}

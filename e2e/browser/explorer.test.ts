import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, freePort } from '@trellis/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { openCutNetwork } from '../harness/cut-network.ts';
import { openExplorer } from '../harness/explorer-page.ts';
import { PostPublisher, tourExplorer } from '../harness/explorer-tour.ts';
import { startProgram } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { docs, gateway, graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);
const publisher = new PostPublisher({ graph, issuer });

describe.skipIf(!chromiumPath)(
  `The explorer in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let page: Page;
    let wrongs: readonly string[];

    beforeAll(async () => {
      browser = await startChromium();
      ({ page, wrongs } = await openExplorer(browser, { path: '/' }));
    });
    afterAll(() => browser.close());

    it('A1: five clicks lead from the landing page to a signed-in, deferred response and to an event', async () => {
      await expectUsable(page, 'en-GB');
      expect(await tourExplorer(page, { graph, issuer })).toBe(5);
      await expectUsable(page, 'en-GB');
      expect(wrongs).toEqual([]);
    });

    it('stops, signs out, and leaves no token in the browser', async () => {
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Stopped').waitFor();
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('eyJ');
      const led = page.waitForEvent('load'); // back here, from the issuer
      await page.getByRole('button', { name: 'Sign out' }).click();
      await led;
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('eyJ');
      expect(wrongs).toEqual([]);
    });

    it('says what is wrong and what it means, reads the documentation, and fills in variables by a form', async () => {
      const asking = await browser.newContext({ locale: 'de-DE' });
      const tab = await asking.newPage();
      const query =
        'query Ask($ids: [ID!]!, $first: Int) { me { name } nodes(ids: $ids) { id } posts(first: $first) { id } }';
      await tab.goto(`${gateway}/graphql?query=${encodeURIComponent(query)}`);
      await tab.getByRole('button', { name: 'Element hinzufügen' }).click();
      await tab.getByLabel('1: ID!').fill('a');
      await tab.getByLabel('$first: Int').fill('2');
      await tab.getByRole('tab', { name: 'JSON' }).click();
      await tab.getByRole('textbox', { name: 'Variablen' }).getByText('"first"').waitFor();
      await tab.getByRole('button', { name: 'Ausführen', exact: true }).click();
      const errors = tab.getByRole('list', { name: /Fehler$/ });
      await errors.getByText('UNAUTHENTICATED: Was es bedeutet').first().click();
      const link = errors.getByRole('link', { name: 'Dokumentation' }).first();
      expect(await link.getAttribute('href')).toBe(`${docs}/errors.html#UNAUTHENTICATED`);
      await tab.getByRole('tab', { name: 'Dokumentation' }).click();
      await tab.getByLabel('Typen und Felder suchen').fill('commentC');
      await tab.getByRole('button', { name: 'Post.commentCount' }).click();
      await tab.getByText('aus comments').waitFor();
      await tab.getByText('Scope read:data').waitFor();
      await expectUsable(tab, 'de-DE');
      await asking.close();
    });

    it('lies under what is wrong with a schema, where a developer’s graph is followed, until it is mended', async () => {
      const directory = createTemporaryDirectory();
      const file = join(directory.path, 'likes.graphql');
      const write = (fields: string): void => writeFileSync(file, `type Query { ${fields} }\n`);
      write('likes: Int');
      const port = await freePort();
      const dev = startProgram('dev', {
        args: ['--subgraph', `likes=${file}`, '--port', String(port)],
        environment: { DATA_DIR: join(directory.path, 'data') },
      });
      try {
        await dev.output.waitFor(/^ready at /m, 60_000);
        const tab = await browser.newPage({ locale: 'en-GB' });
        await tab.goto(`http://127.0.0.1:${port}/explorer?query=%7Blikes%7D`);
        await tab.getByText(/^Estimated cost/).waitFor();
        write('likes: Many');
        const overlay = tab.getByRole('alert').filter({ hasText: 'The supergraph was rejected' });
        await overlay.getByText('Many', { exact: false }).waitFor();
        await expectUsable(tab, 'en-GB');
        await tab.getByRole('button', { name: 'Run', exact: true }).click(); // the one before goes on serving
        await tab.getByText(/^\d+ ms, /).waitFor();
        write('likes: Int hearts: Int');
        await overlay.waitFor({ state: 'detached' });
        await tab.getByRole('tab', { name: 'Documentation' }).click();
        await tab.getByLabel('Search types and fields').fill('hearts');
        await tab.getByRole('button', { name: 'Query.hearts', exact: true }).waitFor();
        await tab.close();
      } finally {
        await dev.stop();
        directory.remove();
      }
    });

    it('is used by the keyboard alone, 320 px wide', async () => {
      const narrow = await browser.newContext({ locale: 'en-GB', viewport: { width: 320, height: 640 } });
      const tab = await narrow.newPage();
      await tab.goto(`${gateway}/explorer?query=${encodeURIComponent('{ __typename }')}`);
      await tab.getByText(/^Estimated cost/).waitFor();
      await tabTo(tab, tab.getByRole('button', { name: 'Run', exact: true }));
      await tab.keyboard.press('Enter');
      await tab.getByRole('region', { name: 'Response' }).getByText('"Query"').waitFor();
      await tabTo(tab, tab.getByRole('textbox', { name: 'Operation' }));
      await tab.keyboard.press('Control+Enter');
      await tab.getByText(/^\d+ ms, /).waitFor();
      await tab.keyboard.press('Tab'); // out of the editor
      await tabTo(tab, tab.getByRole('tab', { name: 'Variables' }));
      await tab.keyboard.press('ArrowRight');
      await tab.keyboard.press('ArrowRight');
      await tab.getByRole('tab', { name: 'Headers', selected: true }).waitFor();
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(320);
      await expectUsable(tab, 'en-GB');
      await narrow.close();
    });

    it('heals a stream whose connection was lost, and shows it', async () => {
      const network = await openCutNetwork(gateway);
      const lossy = await browser.newContext({ locale: 'en-GB' });
      const tab = await lossy.newPage();
      const headers = JSON.stringify({ authorization: `Bearer ${await tokens.of('vi')}` });
      const query = 'subscription { postCreated { title } }';
      await tab.goto(`${network.url}/explorer?query=${encodeURIComponent(query)}`);
      await tab.getByRole('tab', { name: 'Headers' }).click();
      await tab.getByRole('textbox', { name: 'Headers' }).fill(headers);
      await tab.getByRole('button', { name: 'Run', exact: true }).click();
      await expect.poll(publishUntil(() => tab.getByText(/^Streaming: [1-9]/).count())).toBeGreaterThan(0);
      const before = Number(/\d+/.exec(await tab.getByText(/^Streaming: /).innerText())?.[0]);
      network.cut();
      await tab.getByText('The connection was lost. Connecting again …').waitFor();
      network.mend();
      await tab.getByText(/^Streaming: /).waitFor();
      const more = async (): Promise<boolean> =>
        Number(/\d+/.exec(await tab.getByText(/^Streaming: /).innerText())?.[0]) > before;
      await expect.poll(publishUntil(more)).toBe(true);
      await lossy.close();
      await network.close();
    });
  },
);

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await element.evaluate((node) => node === node.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The keyboard does not get there.');
}

/** Publishes posts until one is noticed: a subscription may begin a moment after it is shown. */
function publishUntil<T>(look: () => Promise<T>): () => Promise<T> {
  return async () => {
    await publisher.publish();
    return look();
  };
}

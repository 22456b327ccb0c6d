import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { openReader, raceDraftWithList, shownBy, signInAt, type Reader } from '../harness/web-application.ts';
import { ageSession, readSession } from '../harness/web-session.ts';

const { web, issuer } = sharedPlatform().addresses;

describe.skipIf(!chromiumPath)(
  `examples/web in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let ed: Reader;
    let vi: Reader;
    /** In the titles of what the tests write; no other has it. */
    const word = `zephyr${randomUUID().replaceAll(/\W/g, '').slice(0, 10)}`;
    const title = `About the ${word}`;
    let address = '';

    beforeAll(async () => {
      browser = await startChromium();
      [ed, vi] = await Promise.all([openReader(browser), openReader(browser)]);
    });
    afterAll(() => browser.close());

    let isSignedIn = false;
    let hasFailed = false;
    afterEach(async ({ task }) => {
      hasFailed = task.result?.state === 'fail';
      if (hasFailed) throw new Error(`Shown: ${await shownBy([ed, vi])}`);
    });
    /** Neither what comes next nor another try begins where a test was left in the middle. */
    beforeEach(async () => {
      if (!hasFailed) return;
      await Promise.all([ed, vi].map(({ context }) => context.close()));
      [ed, vi] = await Promise.all([openReader(browser), openReader(browser)]);
      if (isSignedIn) await signInBoth();
      if (address !== '') await Promise.all([ed, vi].map(({ page }) => page.goto(address)));
    });

    const signInBoth = (): Promise<unknown> =>
      Promise.all([signInAt(ed.page, demoPeople.ed), signInAt(vi.page, demoPeople.vi)]);

    it('signs in by the authorization code flow, and forgets the code', async () => {
      await ed.page.getByRole('heading', { level: 1 }).waitFor();
      await expectUsable(ed.page, 'en-GB');
      await signInBoth();
      isSignedIn = true;
      expect(ed.page.url()).toBe(`${web}/`);
      expect(await ed.page.evaluate(() => Object.keys(localStorage).join())).toBe('');
    });

    it('shows the newest posts, and more as one scrolls', async () => {
      const articles = ed.page.getByRole('article');
      await articles.nth(11).waitFor();
      await expectUsable(ed.page, 'en-GB');
      await ed.page.mouse.wheel(0, 20_000);
      await articles.nth(23).waitFor();
      const titles = await articles.getByRole('heading').allInnerTexts();
      expect(new Set(titles).size).toBe(titles.length);
    });

    it('shows who else is here', async () => {
      await ed.page.locator('.presence li', { hasText: await nameOf(vi.page) }).waitFor();
      await vi.page.locator('.presence li', { hasText: await nameOf(ed.page) }).waitFor();
    });

    it('shows what the role allows', async () => {
      const navigation = vi.page.getByRole('navigation', { name: 'Main' });
      expect(await navigation.getByRole('link').allInnerTexts()).toEqual(['Latest', 'Search']);
      await vi.page.goto(`${web}/write`);
      await vi.page.getByText('Editors and administrators write posts.').waitFor();
      await vi.page.goto(web);
      await vi.page.getByRole('article').first().getByRole('link').click();
      await vi.page.getByLabel('Your comment').waitFor();
      expect(await vi.page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    });

    it('stores a draft, which readers do not see, and publishes it, which they see at once', async () => {
      const { page } = ed;
      await vi.page.goto(web);
      await page.getByRole('link', { name: 'Write' }).click();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Please fill in this field.').first().waitFor();
      await expectUsable(page, 'en-GB');
      await page.getByLabel('Title').fill(title);
      await page.getByLabel('Text').fill('It blows.\n\nGently.');
      await page.getByLabel('Tags').fill('wind, air');
      await page.reload(); // what was written stays
      expect(await page.getByLabel('Title').inputValue()).toBe(title);
      await page.getByRole('button', { name: 'Save as draft' }).click();
      await page.locator('.card[data-confirmed=true]', { hasText: title }).waitFor();
      await expectUsable(page, 'en-GB');
      await page.getByRole('link', { name: title }).click();
      await page.getByRole('link', { name: 'Edit' }).waitFor();
      address = page.url();
      await vi.page.goto(address);
      await vi.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      await expectUsable(vi.page, 'en-GB');
      await vi.page.goto(web);
      await vi.page.getByRole('article').first().waitFor();
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Published.').waitFor();
      await vi.page.getByRole('button', { name: /^Show \d+ new post/ }).click();
      await vi.page.getByRole('link', { name: title }).click();
      await vi.page.getByRole('heading', { level: 1, name: title }).waitFor();
    });

    it('shows a new draft though the list that was asked for before it comes after it', async () => {
      const { page } = ed;
      const late = `Late ${word}`;
      await page.goto(`${web}/write`);
      await page.getByLabel('Title').fill(late);
      await page.getByLabel('Text').fill('It blew.');
      const endRace = await raceDraftWithList(page);
      await page.getByRole('button', { name: 'Save as draft' }).click();
      await page.locator('.card[data-confirmed=true]', { hasText: late }).waitFor();
      await endRace();
      await page.goto(address);
    });

    it('shows a post before its comments, and comments of others while one reads', async () => {
      const types: string[] = [];
      ed.page.on('response', (response) => types.push(response.headers()['content-type'] ?? ''));
      await ed.page.reload();
      await ed.page.getByText('No comments yet.').waitFor();
      expect(types.some((type) => type.startsWith('multipart/mixed'))).toBe(true);
      await say(vi.page, 'What a breeze.');
      await ed.page.locator('.comment', { hasText: 'What a breeze.' }).waitFor();
      await ed.page.getByText(/New comment by/).waitFor();
      await expectUsable(ed.page, 'en-GB');
    });

    it('goes on where it was after a lost network: nothing is missed, and what was sent meanwhile goes out once', async () => {
      const sent: string[] = [];
      ed.page.on('websocket', (socket) => {
        socket.on('framesent', ({ payload }) => sent.push(String(payload)));
      });
      await ed.context.setOffline(true);
      onTestFinished(() => ed.context.setOffline(false));
      await ed.page.getByText('You are offline.').waitFor();
      await ed.page.getByLabel('Your comment').fill('Said without a network.');
      await ed.page.getByRole('button', { name: 'Comment', exact: true }).click();
      await ed.page.locator('.comment[data-confirmed=false]').waitFor();
      await expectUsable(ed.page, 'en-GB');
      await say(vi.page, 'Said meanwhile.');
      await ed.context.setOffline(false);
      for (const { page } of [ed, vi])
        for (const words of ['Said meanwhile.', 'Said without a network.'])
          await page.locator('.comment[data-confirmed=true]', { hasText: words }).waitFor();
      expect(sent.some((frame) => frame.includes('CommentAdded') && frame.includes('lastEventId'))).toBe(
        true,
      );
      await vi.page.reload();
      await vi.page.locator('.comment').nth(2).waitFor();
      expect(await vi.page.locator('.comment').count()).toBe(3);
    });

    it('changes and deletes comments: one’s own as a reader, any as an editor', async () => {
      expect(await vi.page.getByRole('button', { name: /^Edit the comment by/ }).count()).toBe(2);
      await vi.page
        .getByRole('button', { name: /^Edit the comment by/ })
        .last()
        .click();
      await vi.page.getByRole('textbox', { name: /^Edit the comment by/ }).fill('What a storm.');
      await vi.page.getByRole('button', { name: 'Save' }).click();
      await vi.page.locator('.comment', { hasText: 'What a storm.' }).getByText('edited').waitFor();
      const own = ed.page.locator('.comment', { hasText: 'without a network' });
      await own.getByRole('button', { name: /^Delete/ }).click();
      await own.getByRole('button', { name: 'Delete for good' }).click();
      await own.waitFor({ state: 'detached' });
    });

    it('shows both versions when another has changed the post meanwhile, and saves the one that is chosen', async () => {
      const other = await ed.context.newPage();
      await other.goto(`${address}/edit`);
      await ed.page.goto(`${address}/edit`);
      await ed.page.getByLabel('Text').fill('Of the first tab.');
      await other.getByLabel('Text').fill('Of the second tab.');
      await other.getByRole('button', { name: 'Save' }).click();
      await other.getByText('Saved.').waitFor();
      await ed.page.bringToFront();
      await ed.page.getByRole('button', { name: 'Save' }).click();
      await ed.page.getByRole('heading', { name: 'Someone else has changed this post' }).waitFor();
      for (const words of ['Of the first tab.', 'Of the second tab.'])
        await ed.page.locator('.versions', { hasText: words }).waitFor();
      await expectUsable(ed.page, 'en-GB');
      await ed.page.getByRole('button', { name: 'Replace it with mine' }).click();
      await ed.page.getByRole('button', { name: 'Save' }).click();
      await ed.page.getByText('Saved.').waitFor();
      await vi.page.reload();
      await vi.page.locator('.post', { hasText: 'Of the first tab.' }).waitFor();
      await other.close();
    });

    it('finds as one types', async () => {
      const { page } = vi;
      await page.getByRole('link', { name: 'Search' }).click();
      await expect
        .poll(async () => {
          await page.getByRole('searchbox').fill('');
          await page.getByRole('searchbox').pressSequentially(word);
          await page.getByText(/results?$|Nothing was found/).waitFor();
          return page.getByRole('link', { name: title }).count();
        })
        .toBeGreaterThan(0); // the index follows a moment later
      expect(page.url()).toBe(`${web}/search?q=${word}`);
      await expectUsable(page, 'en-GB');
    });

    it('speaks three languages, fits 320 pixels in either direction, and works by keyboard alone', async () => {
      const { page } = vi;
      await page.getByLabel('Language').selectOption('fr');
      await page.getByRole('heading', { level: 1, name: 'Chercher' }).waitFor();
      await expectUsable(page, 'fr');
      await page.getByLabel('Langue').selectOption('de');
      await page.getByRole('heading', { level: 1, name: 'Suchen' }).waitFor();
      await page.setViewportSize({ width: 320, height: 640 });
      for (const path of ['/', '/search', new URL(address).pathname]) {
        await page.goto(`${web}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        for (const direction of ['ltr', 'rtl']) {
          const width = await page.evaluate((dir) => {
            document.documentElement.dir = dir;
            return document.documentElement.scrollWidth;
          }, direction);
          expect([path, direction, width]).toEqual([path, direction, 320]);
        }
      }
      await page.goto(web);
      await page.getByRole('article').first().waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.closest('article') !== null)).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByLabel('Ihr Kommentar').waitFor();
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
      await page.getByLabel('Sprache').selectOption('en');
    });

    it('refreshes once for all tabs', async () => {
      const tabs = await Promise.all([1, 2, 3].map(() => ed.context.newPage()));
      let refreshes = 0;
      ed.context.on('request', (request) => {
        if (request.postData()?.includes('grant_type=refresh_token')) refreshes += 1;
      });
      await Promise.all(tabs.map((tab) => tab.goto(web)));
      for (const tab of tabs) await tab.getByRole('article').first().waitFor();
      const before = await readSession(ed.page);
      await ageSession(ed.page);
      await Promise.all(tabs.map((tab) => tab.evaluate(openFirstPost))); // at the same moment
      for (const tab of tabs) await tab.getByLabel('Your comment').waitFor();
      expect(refreshes).toBe(1);
      expect((await readSession(ed.page)).refresh_token).not.toBe(before.refresh_token);
      await Promise.all(tabs.map((tab) => tab.close()));
    });

    it('ends when the auth-server has ended the session, in every tab, and says so', async () => {
      const tab = await vi.context.newPage();
      await tab.goto(web);
      await tab.getByRole('article').first().waitFor();
      await vi.page.getByLabel('Your comment').fill('Half a sent');
      const { refresh_token: token } = await readSession(vi.page);
      const body = new URLSearchParams({ client_id: 'trellis-web', token });
      expect((await fetch(`${issuer}/revoke`, { method: 'POST', body })).status).toBe(200);
      for (const page of [vi.page, tab])
        await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
      await expectUsable(tab, 'en-GB');
      await tab.close();
      await vi.page.bringToFront();
      await vi.page.getByRole('button', { name: 'Sign in' }).click(); // the auth-server's own session goes on
      expect(await vi.page.getByLabel('Your comment').inputValue()).toBe('Half a sent');
    });

    it('deletes a post with its comments', async () => {
      const { page } = ed;
      await page.bringToFront();
      await page.goto(address);
      await page.getByRole('button', { name: 'Delete the post' }).click();
      await page.getByRole('button', { name: 'Delete for good' }).click();
      await page.waitForURL(`${web}/`); // the post's own page is an article too
      await page.getByRole('article').first().waitFor();
      await expect.poll(() => page.getByRole('link', { name: title }).count()).toBe(0);
      await page.goto(address);
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    });

    it('signs out in every tab and at the auth-server', async () => {
      const tab = await ed.context.newPage();
      await tab.goto(web);
      await tab.locator('.whoami').waitFor();
      await ed.page.getByRole('button', { name: 'Sign out' }).click();
      await ed.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await expectUsable(ed.page, 'en-GB');
      await tab.getByRole('button', { name: 'Sign in' }).waitFor();
      await tab.goto(`${issuer}/account`);
      await tab.locator('input[type=password]').waitFor();
      await tab.close();
    });

    it('has asked no other host for anything, and has made the browser complain of nothing', () => {
      expect([...ed.complaints, ...vi.complaints]).toEqual([]);
    });
  },
);

async function nameOf(page: Page): Promise<string> {
  return page.locator('.whoami span').nth(1).innerText();
}

/** Comments on the post that is shown, and waits until the graph has it. */
async function say(page: Page, words: string): Promise<void> {
  await page.getByLabel('Your comment').fill(words);
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.locator('.comment[data-confirmed=true]', { hasText: words }).waitFor();
}

/** In the page. */
function openFirstPost(): void {
  document.querySelector<HTMLAnchorElement>('article a')?.click();
}

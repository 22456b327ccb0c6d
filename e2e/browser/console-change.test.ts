import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, freePort } from '@trellis/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFitting, expectReachable, expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { publishToFolder } from '../harness/published-folder.ts';
import { startProgram, type RunningProgram } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { addresses, environment } = sharedPlatform();
const { issuer } = addresses;
/** Where the platform's console expects a further gateway. */
const [, operationsPort = ''] =
  /recording=\S+:(\d+)/.exec(environment['AUTH_GATEWAY_OPERATIONS_URLS'] ?? '') ?? [];

describe.skipIf(!chromiumPath)(
  `The console’s page of a change in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    const directory = createTemporaryDirectory();
    const requested = new Set<string>();
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let copy: Page;
    let gateway: RunningProgram | undefined;

    beforeAll(async () => {
      browser = await startChromium();
      const published = await publishToFolder(directory.path);
      await published.publishField('nickname: String');
      const config = join(directory.path, 'gateway.yaml');
      writeFileSync(config, JSON.stringify({ registry: published.settings }));
      gateway = startProgram('gateway', {
        args: ['--config', config, '--port', String(await freePort())],
        environment: { SUPERGRAPH: 'registry', OPERATIONS_PORT: operationsPort },
      });
      await gateway.output.waitFor(/\bready\b/, 90_000);
      context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false });
      page = await context.newPage();
      page.on('request', (request) => void requested.add(new URL(request.url()).origin));
      copy = await browser.newPage();
    }, 400_000);
    afterAll(async () => {
      await gateway?.stop('SIGTERM');
      await browser.close();
      directory.remove();
    });

    /** With scripts, as axe-core needs them: the same markup, on a narrow screen, in both directions. */
    async function expectGood(shown: Page, language: string): Promise<void> {
      await copy.setContent(await shown.content());
      await expectReachable(copy);
      await expectUsable(copy, language);
      await expectFitting(copy);
    }

    it('is one link from the graph: verdict, order of deployment as a picture, and what changes', async () => {
      await page.goto(`${issuer}/console/graph`);
      await page.locator('#email').fill(demoPeople.ada.email);
      await page.locator('#password').fill(demoPassword);
      await page.locator('button').click();
      await page.getByRole('heading', { name: 'Graph', level: 1 }).waitFor();
      await page.locator('a[href*="record=2"]').first().click();
      await page.getByRole('heading', { level: 1, name: /production\.2/ }).waitFor();
      const picture = page.getByRole('img');
      expect(await picture.locator('title').innerHTML()).toMatch(/\d safe.*deploy users.*publish/);
      const box = await picture.boundingBox();
      expect(box?.width).toBeLessThanOrEqual(320);
      const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
      expect(text).toMatch(/1 deploy users .*2 publish/);
      expect(text).toContain('User.nickname');
      await expectGood(page, 'en');
      expect([...requested]).toEqual([new URL(issuer).origin]);
    });

    it('says of the first record that there was none before it', async () => {
      await page.goto(`${issuer}/console/graph/change?gateway=recording&record=1`);
      await page.getByRole('heading', { level: 1, name: /production\.1/ }).waitFor();
      expect(await page.getByRole('img').count()).toBe(0);
      await expectGood(page, 'en');
    });

    it.each(['de-DE', 'zh-CN'])('is usable in the language of its operator: %s', async (locale) => {
      const state = await context.storageState();
      const other = await browser.newContext({ locale, javaScriptEnabled: false, storageState: state });
      const shown = await other.newPage();
      await shown.goto(`${issuer}/console/graph/change?gateway=recording&record=2`);
      await shown.getByText('User.nickname', { exact: true }).waitFor();
      await expectGood(shown, locale);
      await other.close();
    });
  },
);

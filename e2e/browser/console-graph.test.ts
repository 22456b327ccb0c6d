import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFitting, expectReachable, expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { startGateway, type GatewayProcess } from '../harness/gateway-process.ts';
import { root } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { addresses, environment } = sharedPlatform();
const { issuer } = addresses;
/** Where the platform's console expects a gateway that records usage. */
const [, operationsPort = ''] =
  /recording=\S+:(\d+)/.exec(environment['AUTH_GATEWAY_OPERATIONS_URLS'] ?? '') ?? [];
const HOSTILE = '<img src=x onerror=alert(1)>';

describe.skipIf(!chromiumPath)(
  `The console’s page of the graph in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    const directory = createTemporaryDirectory();
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let copy: Page;
    let gateway: GatewayProcess | undefined;
    const requested = new Set<string>();

    beforeAll(async () => {
      browser = await startChromium();
      context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false });
      page = await context.newPage();
      page.on('request', (request) => void requested.add(new URL(request.url()).origin));
      copy = await browser.newPage();
    });
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

    const rowOf = (name: string): Promise<string> =>
      page
        .getByRole('row')
        .filter({ has: page.getByText(name, { exact: true }) })
        .first()
        .innerText();

    /** A gateway that records usage, at the address that the console knows. */
    async function startRecording(): Promise<GatewayProcess> {
      const config = join(directory.path, 'gateway.yaml');
      const usage = { directory: join(directory.path, 'usage'), intervalS: 5 };
      writeFileSync(config, JSON.stringify({ usage }));
      return startGateway({
        supergraph: join(root, 'graph/supergraph.graphql'),
        args: ['--config', config],
        environment: { OPERATIONS_PORT: operationsPort },
      });
    }

    async function send(graph: string, query: string): Promise<void> {
      const response = await fetch(graph, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'apollographql-client-name': HOSTILE },
        body: JSON.stringify({ query }),
      });
      expect((await response.json()) as object).toHaveProperty('data');
    }

    async function search(field: string): Promise<void> {
      await page.getByRole('searchbox', { name: 'Field' }).fill(field);
      await page.getByLabel('Gateway', { exact: true }).selectOption('recording');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: `Usage of ${field}` }).waitFor();
    }

    it('asks to sign in, and shows what each gateway serves; one that is gone is a sentence', async () => {
      await page.goto(`${issuer}/console/graph`);
      await page.locator('#email').fill(demoPeople.ada.email);
      await page.locator('#password').fill(demoPassword);
      await page.locator('button').click();
      await page.getByRole('heading', { name: 'Graph', level: 1 }).waitFor();
      expect(await page.getByRole('link', { name: 'Graph' }).getAttribute('aria-current')).toBe('page');
      expect(await rowOf('gateway')).toMatch(/[0-9a-f]{12}/);
      expect(await rowOf('recording')).toContain('The gateway is unreachable.');
      await expectGood(page, 'en');
    });

    it('says that nothing is recorded where nothing is', async () => {
      await page.goto(`${issuer}/console/graph?gateway=gateway&field=Post.title`);
      await page.getByText('The gateway records no usage that can be searched.').waitFor();
    });

    it('says who uses a field, and that another one is unused', async () => {
      gateway = await startRecording();
      await send(gateway.graph, 'query Titles { posts(first: 1) { title } }');
      await page.goto(`${issuer}/console/graph`);
      expect(await rowOf('recording')).toMatch(/[0-9a-f]{12}/);
      const found = async (): Promise<string> => {
        await search('Post.title');
        return (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
      };
      await expect.poll(found, { interval: 1_000 }).toContain(HOSTILE);
      const text = await found();
      expect(text).toMatch(/In use yes/);
      expect(text).toMatch(/Titles.*100 %/);
      await expectGood(page, 'en');
      await search('User.email');
      expect(await page.locator('dl').innerText()).toMatch(/In use\s+no/);
      await page.goto(`${issuer}/console/graph?gateway=recording&field=Post.missing`);
      await page.getByText('The graph of the gateway has no such field.').waitFor();
      expect([...requested]).toEqual([new URL(issuer).origin]);
    }, 120_000);

    it.each([
      ['de-DE', 'In Gebrauch'],
      ['zh-CN', '使用中'],
    ])('is in the language of its operator, and usable in it: %s', async (locale, words) => {
      const state = await context.storageState();
      const other = await browser.newContext({ locale, javaScriptEnabled: false, storageState: state });
      const shown = await other.newPage();
      await shown.goto(`${issuer}/console/graph?gateway=recording&field=Post.title`);
      await shown.getByText(words, { exact: true }).waitFor();
      await expectGood(shown, locale);
      await other.close();
    });
  },
);

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishCanary, type CanaryGraph } from '../fixtures/canary-graph.ts';
import { expectFitting, expectUsable } from '../harness/accessibility.ts';
import { askGraph } from '../harness/ask-graph.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { startGateway, type GatewayProcess } from '../harness/gateway-process.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { addresses, environment } = sharedPlatform();
/** Where the platform's console expects a further gateway. */
const [, operationsPort = ''] =
  /recording=\S+:(\d+)/.exec(environment['AUTH_GATEWAY_OPERATIONS_URLS'] ?? '') ?? [];
const [MAIN, CANARY] = ['production.2', 'production.2/canary'];
/** At 5 %, and with no failure beside theirs, the evidence of so many callers is 6 · ln 20, and 16 suffices. */
const ENOUGH = 6;
/** What the canary takes at least, and how the console says that it was this or more. */
const [DELAY_MS, DELAYED] = [120, String.raw`(150|200|300|500|750) ms|[\d.]+ s`];

interface Asked {
  readonly version: string | null;
  readonly isGood: boolean;
}

describe.skipIf(!chromiumPath)(
  `A canary on the console’s page of the graph in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    const directory = createTemporaryDirectory();
    const onCanary: number[] = [];
    let graph: CanaryGraph | undefined;
    let gateway: GatewayProcess | undefined;
    let browser: Browser | undefined;
    let page: Page;
    let release = '';

    beforeAll(async () => {
      graph = await publishCanary(directory.path, { percent: 5, delayMs: DELAY_MS });
      const config = join(directory.path, 'gateway.yaml');
      const registry = { ...graph.settings, responseHeader: true };
      writeFileSync(config, JSON.stringify({ registry, http: { trustProxy: true } }));
      gateway = await startGateway({
        supergraph: 'registry',
        args: ['--config', config],
        environment: { OPERATIONS_PORT: operationsPort },
      });
      browser = await startChromium();
      page = await browser.newPage({ locale: 'en-GB' });
      await page.goto(`${addresses.issuer}/console/graph`);
      await page.locator('#email').fill(demoPeople.ada.email);
      await page.locator('#password').fill(demoPassword);
      await page.locator('button').click();
      await page.getByRole('heading', { name: 'Graph', level: 1 }).waitFor();
    }, 400_000);
    afterAll(async () => {
      await gateway?.stop();
      await browser?.close();
      await graph?.close();
      directory.remove();
    });

    /** With an operation of its own: none has so many responses that the canary's can be called slow. */
    async function ask(caller: number): Promise<Asked> {
      const { headers, errors } = await askGraph(gateway?.graph ?? '', {
        query: `query From${caller} { greeting }`,
        headers: { 'x-forwarded-for': `10.0.${Math.floor(caller / 250)}.${caller % 250}` },
      });
      return { version: headers.get('trellis-supergraph'), isGood: errors === undefined };
    }

    /** Of a table as the page has it now; none without the table. */
    async function rowsOf(name: string): Promise<readonly string[]> {
      await page.goto(`${addresses.issuer}/console/graph`);
      const rows = await page.getByRole('table', { name, exact: true }).getByRole('row').allInnerTexts();
      return rows.map((row) => row.replaceAll(/\s+/g, ' ').trim());
    }

    it('has its share, and what its callers met beside those of the main version', async () => {
      let asked = 0;
      for (; onCanary.length < ENOUGH; asked += 1)
        if ((await ask(asked)).version === CANARY) onCanary.push(asked);
      graph?.breakCanary();
      expect(await ask(onCanary[0] ?? 0)).toEqual({ version: CANARY, isGood: false });
      await expect
        .poll(() => rowsOf('Canary at recording'))
        .toEqual([
          'Figure Main version canary',
          'Share of callers 95 % 5 %',
          `Callers ${asked - ENOUGH} ${ENOUGH}`,
          `Operations ${asked - ENOUGH} ${ENOUGH + 1}`,
          'Failed 0 (0 %) 1 (14.29 %)',
          expect.stringMatching(String.raw`^Half within [\d.]+ m?s (${DELAYED})$`),
          expect.stringMatching(String.raw`^99 % within [\d.]+ m?s (${DELAYED})$`),
          'Evidence: callers with a failure 3.0 (stops at 16, soon after it began at less)',
          'Evidence: callers with a slow response 0.0 (stops at 16)',
        ]);
      const row = /recording production\.2 .*canary \(([0-9a-f]{12})\): 5 % of callers/;
      [, release = ''] = row.exec((await rowsOf('Gateways')).join('\n')) ?? [];
      expect(release).not.toBe('');
    });

    it('is below with the reason once it was stopped, and its callers have the main version', async () => {
      for (const caller of onCanary.slice(1)) expect((await ask(caller)).isGood).toBe(false);
      const stop = `canary ${release} more callers with a failure than by chance 0 ${ENOUGH}`;
      await expect
        .poll(() => rowsOf('Canaries that were stopped'))
        .toEqual([expect.any(String), expect.stringMatching(`^recording .* UTC ${stop}$`)]);
      expect(await rowsOf('Canary at recording')).toEqual([]);
      expect((await rowsOf('Gateways')).join('\n')).not.toContain('% of callers');
      for (const caller of onCanary) expect(await ask(caller)).toEqual({ version: MAIN, isGood: true });
      await expectUsable(page, 'en-GB');
      await expectFitting(page);
    });
  },
);

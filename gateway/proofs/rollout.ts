import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof, type ProofOptions, type ProofOutcome } from '@trellis/testkit';
import { createLogger, createMetrics } from '@trellis/runtime';
import { gateway } from '../src/app/gateway.ts';
import { startEventGraph } from '../src/testing/event-graph.ts';
import { canaryOf, PublishedGraph } from '../src/testing/published-graph.ts';
import { simulateBadVersion, simulateWithoutDifference } from '../src/testing/simulate-canary.ts';
import { startCatalogue, type Catalogue } from '../test-fixtures/rollout/catalogue.ts';
import { CALLERS, RolloutClient, type SeenCanary } from '../test-fixtures/rollout/rollout-client.ts';
import { startLoad } from '../test-fixtures/load/open-loop.ts';
import { openSubscribers } from '../test-fixtures/load/subscribers.ts';

const SIZES = {
  small: { perSecond: 60, subscriptions: 50, percent: 30, aborts: 2, medianS: 20, p95S: 40, hours: 10 },
  full: { perSecond: 200, subscriptions: 1_000, percent: 5, aborts: 12, medianS: 10, p95S: 15, hours: 100 },
} as const satisfies Record<ProofOptions['size'], unknown>;

/** Requests say their addresses as a proxy does; subscriptions come from one. */
const OTHER_SETTINGS = {
  http: { trustProxy: ['127.0.0.1'] },
  subscriptions: { maxPerUser: 1_000_000, webSocket: { maxConnectionsPerAddress: 20_000 } },
};
const SERVED_WITHIN_MS = 20_000;
const GONE_WITHIN_MS = 90_000;
/** Between two steps: what the last one broke shows. */
const SETTLE_MS = 700;

/** Every kind of change goes through a running gateway by its registry; bad versions remove themselves. */
proof({
  name: 'rollout',
  description:
    'A field added, moved, renamed and removed, bad versions that stop themselves, a rollback: no request fails outside of a canary.',
  async run({ size, seed }) {
    const { perSecond, subscriptions, percent, aborts } = SIZES[size];
    const stage = await openStage(seed);
    try {
      const subscribers = await openSubscribers(stage.url, stage.news, subscriptions);
      const load = startLoad({ perSecond, send: () => stage.client.send() });
      await changeFields(stage);
      const canaries = await abortCanaries(stage, percent, aborts);
      await stage.publish(stage.catalogue.withTitle, 'rollback');
      await sleep(SETTLE_MS);
      const report = await load.stop();
      const heard = await subscribers.report();
      await subscribers.close();
      return judge(size, seed, { report, heard, canaries });
    } finally {
      await stage.close();
    }
  },
});

interface Stage {
  readonly url: string;
  readonly graph: PublishedGraph;
  readonly catalogue: Catalogue;
  readonly news: Awaited<ReturnType<typeof startEventGraph>>['news'];
  readonly client: RolloutClient;
  /** Publishes a version of the catalogue, and waits until it is served. */
  publish(version: Catalogue['plain'], action?: string): Promise<void>;
  /** Starts a canary with one. */
  startCanary(version: Catalogue['plain'], percent: number): Promise<void>;
  close(): Promise<void>;
}

async function openStage(seed: number): Promise<Stage> {
  const [desk, catalogue, graph] = await Promise.all([
    startEventGraph(),
    startCatalogue(seed),
    PublishedGraph.create(),
  ]);
  const directory = createTemporaryDirectory();
  const CONFIG = join(directory.path, 'gateway.yaml');
  writeFileSync(CONFIG, graph.settings({ responseHeader: true }, OTHER_SETTINGS));
  await graph.publish([...desk.all, ...catalogue.plain]);
  const config = gateway.readConfig({
    PORT: '0',
    SUPERGRAPH: 'registry',
    CONFIG,
    GUARDS: 'off',
    TRELLIS_SIGNING_KEY: graph.signingKey,
  });
  const logger = createLogger({ service: 'gateway', level: 'fatal' });
  const running = await gateway.start(config, { logger, metrics: createMetrics('gateway') });
  const client = new RolloutClient(running.url, seed);
  const untilServed = async (sequence: number): Promise<void> => {
    const deadline = performance.now() + SERVED_WITHIN_MS;
    while (client.servedSequence < sequence) {
      if (performance.now() > deadline) throw new Error(`Record ${sequence} is not served.`);
      await sleep(20);
    }
    await sleep(SETTLE_MS);
  };
  return {
    url: running.url,
    graph,
    catalogue,
    news: desk.news,
    client,
    async publish(version, action = 'publish') {
      const release = await graph.release([...desk.all, ...version]);
      const { record } = await graph.append({ release, variants: [], action });
      await untilServed(record.sequence);
    },
    async startCanary(version, percent) {
      const release = await graph.release([...desk.all, ...version]);
      await graph.append({ variants: [canaryOf(release, percent)], action: 'canary' });
    },
    async close() {
      await client.close();
      await running.close();
      await Promise.all([desk.close(), catalogue.close()]);
      graph.close();
      directory.remove();
    },
  };
}

/** In the order in which teams do it: a field goes when no client uses it any more. */
async function changeFields({ publish, catalogue, client }: Stage): Promise<void> {
  await publish(catalogue.withExtra);
  client.also('extra');
  for (const percent of [1, 25, 50, 75, 100]) await publish(catalogue.moving(percent));
  await publish(catalogue.moved);
  await publish(catalogue.withTitle);
  client.also('title');
  client.without('name');
  client.without('extra');
  await client.settled();
  await publish(catalogue.withoutName);
}

interface Canaries {
  /** Seconds from the first response of each bad version to its last, the shortest first. */
  readonly seconds: readonly number[];
  /** That of the one that is slow and does not fail. */
  readonly slowS: number;
  /** Of all callers there are, the largest part that met one of them. */
  readonly largestShare: number;
  /** Callers who had a response while one served, summed up over all. */
  readonly present: number;
  /** Of these, those who met it. */
  readonly met: number;
}

async function abortCanaries(
  { startCanary, catalogue, client }: Stage,
  percent: number,
  times: number,
): Promise<Canaries> {
  const seen: SeenCanary[] = [];
  for (let time = 0; time < times; time += 1) {
    client.watchCanary();
    await startCanary(time === 0 ? catalogue.slow() : catalogue.failing(), percent);
    seen.push(await client.canaryGone(GONE_WITHIN_MS));
  }
  return {
    seconds: seen.map(({ seconds }) => seconds).toSorted((left, right) => left - right),
    slowS: seen[0]?.seconds ?? Number.NaN,
    largestShare: Math.max(...seen.map(({ met }) => met / CALLERS)),
    present: seen.reduce((sum, { present }) => sum + present, 0),
    met: seen.reduce((sum, { met }) => sum + met, 0),
  };
}

/** Chance places callers: of so many, a canary has no larger share in 999 of 1,000 cases. Of 5,000 at 5 % that is 5.9 %. */
function mostShareOf(callers: number, share: number): number {
  return share + 3 * Math.sqrt((share * (1 - share)) / callers);
}

interface Found {
  readonly report: Awaited<ReturnType<ReturnType<typeof startLoad>['stop']>>;
  readonly heard: Awaited<ReturnType<Awaited<ReturnType<typeof openSubscribers>>['report']>>;
  readonly canaries: Canaries;
}

function judge(size: ProofOptions['size'], seed: number, { report, heard, canaries }: Found): ProofOutcome {
  const { medianS, p95S, hours, percent, subscriptions } = SIZES[size];
  const { seconds, slowS, largestShare, met, present } = canaries;
  const at = (part: number): number => seconds[Math.floor(part * seconds.length)] ?? Number.NaN;
  const bad = { share: 0.05, failing: 0.08, times: 4_000, seed } as const;
  const simulated = simulateBadVersion({ ...bad, failsIn: 'one operation', usual: 0 });
  const amongUsual = simulateBadVersion({ ...bad, failsIn: 'one operation', usual: 0.01 });
  const spread = simulateBadVersion({ ...bad, failsIn: 'each operation', usual: 0.01 });
  const without = [0.01, 0.05, 0.3].map((share) =>
    simulateWithoutDifference({ hours, share, failuresPerS: 2, broken: 3, seed }),
  );
  const falseAborts = without.reduce((sum, { aborts }) => sum + aborts, 0);
  const share = percent / 100;
  return {
    passed:
      report.failed + heard.dropped + heard.lost + falseAborts === 0 &&
      at(0.5) <= medianS &&
      at(0.95) <= p95S &&
      largestShare <= mostShareOf(CALLERS, share) &&
      met / present <= mostShareOf(present, share) &&
      simulated.medianS <= 10 &&
      simulated.p95S <= 15 &&
      amongUsual.medianS <= 10 &&
      amongUsual.p95S <= 15 && // 1 % of all requests fails anyway
      spread.medianS <= 10 &&
      spread.p95S <= 15,
    figures: {
      requests: report.sent,
      failedOutsideCanaries: report.failed,
      subscriptions,
      subscriptionsDropped: heard.dropped,
      events: heard.events,
      eventsLost: heard.lost,
      badVersions: seconds.length,
      goneMedianS: at(0.5).toFixed(1),
      goneP95S: at(0.95).toFixed(1),
      slowVersionGoneS: slowS.toFixed(1),
      largestSharePercentOfCallers: (100 * largestShare).toFixed(1),
      sharePercentOfCallersPresent: ((100 * met) / present).toFixed(1),
      simulatedMedianS: simulated.medianS,
      simulatedP95S: simulated.p95S,
      simulatedAmongUsualMedianS: amongUsual.medianS,
      simulatedAmongUsualP95S: amongUsual.p95S,
      simulatedSpreadMedianS: spread.medianS,
      simulatedSpreadP95S: spread.p95S,
      simulatedHours: 3 * hours,
      abortsWithoutDifference: falseAborts,
      abortsByNormalApproximation: without.reduce(
        (sum, { byNormalApproximation }) => sum + byNormalApproximation,
        0,
      ),
      ...(report.reasons[0] !== undefined && { reason: report.reasons[0] }),
    },
  };
}

import { createTestDatabase, proof } from '@trellis/testkit';
import { isWithinBound, loadContent, measureContent, type Measurement } from '../src/content/index.ts';

/** The small run shares its machine with other tests, and looks at the plans alone. */
const sizes = {
  small: { content: { users: 200, posts: 5_000, comments: 20_000 }, requests: 20, leeway: 200 },
  full: { content: { users: 100_000, posts: 1_000_000, comments: 10_000_000 }, requests: 300, leeway: 1 },
};

/** What is read costs the same however much there is. */
proof({
  name: 'data-at-size',
  description:
    'with a million posts and ten million comments every list is read by one statement a level, in 15 ms (p50) and 50 ms (p99), and every word is found in 100 ms (p99)',
  async run({ size, seed }) {
    const { content, requests, leeway } = sizes[size];
    const database = await createTestDatabase();
    try {
      const url = database.connectionString;
      const databaseUrls = { users: url, posts: url, comments: url, search: url };
      const print = (line: string): void => {
        if (size === 'full') process.stdout.write(`  ${line}\n`);
      };
      const startedAt = performance.now();
      await loadContent({ databaseUrls, size: content, seed, print });
      const loadS = Math.round((performance.now() - startedAt) / 1_000);
      const measurements = await measureContent({ databaseUrls, requests, print });
      const lists = measurements.filter(({ service }) => service !== 'search');
      const searches = measurements.filter(({ service }) => service === 'search');
      const worst = (of: readonly Measurement[], figure: 'statements' | 'p50Ms' | 'p99Ms'): number =>
        Math.max(...of.map((one) => one[figure]));
      const broken = measurements.filter((one) => !isWithinBound(one, leeway)).map(({ name }) => name);
      const scans = lists.filter(({ plans }) => plans.some(readsAllOfIt)).map(({ name }) => name);
      return {
        passed: broken.length === 0 && scans.length === 0,
        figures: {
          ...content,
          loadS,
          statementsEach: worst(measurements, 'statements'),
          worstP50Ms: worst(lists, 'p50Ms'),
          worstP99Ms: worst(lists, 'p99Ms'),
          worstSearchP99Ms: worst(searches, 'p99Ms'),
          broken: broken.join('; ') || 'none',
          fullScans: scans.join('; ') || 'none',
        },
      };
    } finally {
      await database.drop();
    }
  },
});

/** Small tables are read whole because that is cheaper; the large ones must not be. */
function readsAllOfIt(plan: string): boolean {
  return /Seq Scan on (?:post|known_post|comment)\b/.test(plan);
}

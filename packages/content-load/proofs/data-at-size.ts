import { createTestDatabase, type Proof } from '@trellis/testkit';
import { loadContent, measureContent, type Measurement } from '../src/index.ts';

/** Fifteen and fifty milliseconds are promised; the small run shares its machine with other tests, and looks at the plans alone. */
const sizes = {
  small: {
    content: { users: 200, posts: 5_000, comments: 20_000 },
    requests: 20,
    p50Ms: 1_000,
    p99Ms: 10_000,
  },
  full: {
    content: { users: 100_000, posts: 1_000_000, comments: 10_000_000 },
    requests: 300,
    p50Ms: 15,
    p99Ms: 50,
  },
};

/** What is read costs the same however much there is. */
export const proof: Proof = {
  name: 'data-at-size',
  description:
    'with a million posts and ten million comments every list is read by one statement a level, in 15 ms (p50) and 50 ms (p99)',
  async run({ size, seed }) {
    const { content, requests, p50Ms, p99Ms } = sizes[size];
    const database = await createTestDatabase();
    try {
      const url = database.connectionString;
      const databaseUrls = { users: url, posts: url, comments: url };
      const tell = (line: string): void => {
        if (size === 'full') process.stdout.write(`  ${line}\n`);
      };
      const startedAt = performance.now();
      await loadContent({ databaseUrls, size: content, seed, tell });
      const loadS = Math.round((performance.now() - startedAt) / 1_000);
      const measurements = await measureContent({ databaseUrls, requests, tell });
      const worst = (pick: (one: Measurement) => number): number => Math.max(...measurements.map(pick));
      const scans = measurements.filter(({ plans }) => plans.some(readsAllOfIt)).map(({ name }) => name);
      return {
        passed:
          worst(({ statements }) => statements) === 1 &&
          worst((one) => one.p50Ms) < p50Ms &&
          worst((one) => one.p99Ms) < p99Ms &&
          scans.length === 0,
        figures: {
          ...content,
          loadS,
          statementsEach: worst(({ statements }) => statements),
          worstP50Ms: worst((one) => one.p50Ms),
          worstP99Ms: worst((one) => one.p99Ms),
          fullScans: scans.join('; ') || 'none',
        },
      };
    } finally {
      await database.drop();
    }
  },
};

/** Small tables are read whole because that is cheaper; the large ones must not be. */
function readsAllOfIt(plan: string): boolean {
  return /Seq Scan on (?:post|comment)\b/.test(plan);
}

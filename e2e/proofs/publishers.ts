import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRecordSigner, generateRecordKey, openRegistry, TrustedKeys } from '@trellis/registry';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { runKilledPublishers } from './publishers/killed-publishers.ts';
import { problemsOfLog } from './publishers/published-log.ts';
import { runKilledServers } from './publishers/killed-servers.ts';

const [PUBLISHERS, SUBGRAPHS] = [20, 10];
const FOR_MS = { small: 20_000, full: 90_000 };
const KILL_EVERY_MS = 250;

/** What is shown of each store. */
type Figures = Record<string, number | string>;

proof({
  name: 'publishers',
  description:
    '20 publishers of 10 subgraphs that are killed at random moments leave a linear log, in a folder, a git repository and over HTTP: each version composes, what was acknowledged is in it',
  async run({ size }) {
    const directory = createTemporaryDirectory();
    const key = JSON.stringify(await generateRecordKey());
    const trust = await TrustedKeys.from([(await createRecordSigner(key)).publicKey]);
    const repository = join(directory.path, 'registry.git');
    execFileSync('git', ['init', '--quiet', '--bare', repository]);
    const places = [
      { name: 'folder', location: join(directory.path, 'registry') },
      { name: 'git', location: `git+${pathToFileURL(repository).href}`, repository },
    ];
    const figures: Figures = {};
    const problems: string[] = [];
    try {
      for (const { name, ...place } of places) {
        const store = openRegistry(place.location);
        await store.initialize?.(AbortSignal.timeout(30_000));
        const publishers = {
          count: PUBLISHERS,
          subgraphs: SUBGRAPHS,
          killEveryMs: KILL_EVERY_MS,
          forMs: FOR_MS[size],
        };
        const outcome = await runKilledPublishers({ ...place, ...publishers, key });
        const found = await problemsOfLog(openRegistry(place.location), trust, outcome.acknowledged);
        problems.push(...found.problems.map((problem) => `${name}: ${problem}`));
        note(figures, name, { ...outcome, records: found.records });
      }
      const served = await runKilledServers({
        directory: directory.path,
        key,
        count: PUBLISHERS,
        subgraphs: SUBGRAPHS,
        forMs: FOR_MS[size],
      });
      const found = await problemsOfLog(served.store, trust, served.acknowledged);
      await served.close();
      problems.push(...found.problems.map((problem) => `http: ${problem}`));
      note(figures, 'http', { ...served, records: found.records });
      for (const [index, problem] of problems.slice(0, 5).entries())
        figures[`problem ${index + 1}`] = problem;
      const hasRecords = ['folder', 'git', 'http'].every((name) => Number(figures[`${name} records`]) > 0);
      return { passed: problems.length === 0 && hasRecords, figures };
    } finally {
      directory.remove();
    }
  },
});

interface Counted {
  readonly records: number;
  readonly kills: number;
  readonly acknowledged: ReadonlyMap<number, string>;
  readonly failures: ReadonlyMap<string, number>;
  readonly locks?: number;
}

function note(
  figures: Figures,
  name: string,
  { records, kills, acknowledged, failures, locks }: Counted,
): void {
  figures[`${name} records`] = records;
  figures[`${name} kills`] = kills;
  figures[`${name} unacknowledged`] = records - acknowledged.size;
  if (locks !== undefined && locks > 0) figures[`${name} locks removed`] = locks;
  for (const [code, count] of failures) figures[`${name} ${code}`] = count;
}

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openRegistry } from '@trellis/registry';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import {
  createProofKey,
  FOR_MS,
  judgeStores,
  PUBLISHERS,
  type PublishedStore,
} from './publishers/figures-of-log.ts';
import { runKilledPublishers } from './publishers/killed-publishers.ts';

proof({
  name: 'publishers',
  isEssential: true,
  description:
    '20 publishers of 10 subgraphs that are killed at random moments leave a linear log, in a folder and a git repository: each version composes, what was acknowledged is in it',
  async run({ size }) {
    const directory = createTemporaryDirectory();
    const { key, trust } = await createProofKey();
    const repository = join(directory.path, 'registry.git');
    execFileSync('git', ['init', '--quiet', '--bare', repository]);
    const places = [
      { name: 'folder', location: join(directory.path, 'registry') },
      { name: 'git', location: `git+${pathToFileURL(repository).href}`, repository },
    ];
    const stores: PublishedStore[] = [];
    try {
      for (const { name, ...place } of places) {
        await openRegistry(place.location).initialize?.(AbortSignal.timeout(30_000));
        const outcome = await runKilledPublishers({ ...place, ...PUBLISHERS, forMs: FOR_MS[size], key });
        stores.push({ name, store: openRegistry(place.location), outcome });
      }
      return await judgeStores(stores, trust);
    } finally {
      directory.remove();
    }
  },
});

import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { createProofKey, FOR_MS, judgeStores, PUBLISHERS } from './publishers/figures-of-log.ts';
import { runKilledServers } from './publishers/killed-servers.ts';

proof({
  name: 'publishers-over-http',
  description:
    '20 publishers of 10 subgraphs at two registries over HTTP, whose processes are killed at random moments, leave a linear log: each version composes, what was acknowledged is in it',
  async run({ size }) {
    const directory = createTemporaryDirectory();
    const { key, trust } = await createProofKey();
    const { count, subgraphs } = PUBLISHERS;
    const options = { directory: directory.path, key, count, subgraphs, forMs: FOR_MS[size] };
    try {
      const { store, close, ...outcome } = await runKilledServers(options);
      try {
        return await judgeStores([{ name: 'http', store, outcome }], trust);
      } finally {
        await close();
      }
    } finally {
      directory.remove();
    }
  },
});

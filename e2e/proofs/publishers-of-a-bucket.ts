import { openRegistry } from '@trellis/registry';
import { hasObjectStore, proof, startTestObjectStore } from '@trellis/testkit';
import { createProofKey, FOR_MS, judgeStores, PUBLISHERS } from './publishers/figures-of-log.ts';
import { runKilledPublishers } from './publishers/killed-publishers.ts';

proof({
  name: 'publishers-of-a-bucket',
  description:
    '20 publishers of 10 subgraphs that are killed at random moments leave a linear log in a bucket of an object store (Ceph): each version composes, what was acknowledged is in it',
  async run({ size }) {
    if (!hasObjectStore)
      return { passed: true, figures: { skipped: 'this machine has no ceph-mon, ceph-osd and radosgw' } };
    const objects = await startTestObjectStore();
    try {
      const { key, trust } = await createProofKey();
      const location = `s3+${await objects.createBucket('proof')}/registry`;
      const { environment } = objects;
      const store = openRegistry(location, { environment });
      await store.initialize?.(AbortSignal.timeout(30_000));
      const publishers = { ...PUBLISHERS, forMs: FOR_MS[size], location, key, environment };
      const outcome = await runKilledPublishers(publishers);
      return await judgeStores([{ name: 'bucket', store, outcome }], trust);
    } finally {
      await objects.stop();
    }
  },
});

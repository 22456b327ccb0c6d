import {
  createRecordSigner,
  FolderStore,
  generateRecordKey,
  TrustedKeys,
  writeTextBlob,
} from '@trellis/registry';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, expect, it } from 'vitest';
import { deleteUnnamed } from './collect-garbage.ts';

const directory = createTemporaryDirectory();
afterAll(() => directory.remove());

/** Its deadline passes with the second deletion. */
class SlowStore extends FolderStore {
  readonly deadline = new AbortController();
  deletions = 0;

  override async deleteBlob(...given: Parameters<FolderStore['deleteBlob']>): Promise<boolean> {
    this.deletions += 1;
    if (this.deletions === 2)
      this.deadline.abort(new DOMException('The deadline has passed.', 'TimeoutError'));
    return super.deleteBlob(...given);
  }
}

it('A garbage collection whose deadline passes says how many texts it has deleted', async () => {
  const store = new SlowStore(directory.path);
  const { signal } = store.deadline;
  await store.initialize(signal);
  for (const text of ['one', 'two', 'three']) await writeTextBlob(store, text, signal);
  const { publicKey } = await createRecordSigner(JSON.stringify(await generateRecordKey()));
  const access = { store, trust: await TrustedKeys.from([publicKey]) };
  const [olderThanHours] = [-1]; // all that there is
  const done = await deleteUnnamed(access, { olderThanHours, isDry: false }, signal);
  expect(done).toMatchObject({
    exit: 69,
    lines: ['1 of 3 texts deleted, then it failed: The deadline has passed. Run it again for the others.'],
    document: { texts: 3, unnamed: 3, deleted: 1 },
  });
  expect(await store.listBlobs(AbortSignal.timeout(5_000))).toHaveLength(2);
});

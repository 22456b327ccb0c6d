import {
  appendRecord,
  createRecordSigner,
  FolderStore,
  generateRecordKey,
  TrustedKeys,
} from '@trellis/registry';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, expect, it } from 'vitest';
import { replaceKeys } from './replace-keys.ts';

const directory = createTemporaryDirectory();
afterAll(() => directory.remove());

it('A key that a log has replaced does not come back to it, alone or with others', async () => {
  const signal = AbortSignal.timeout(60_000);
  const newSigner = async () => createRecordSigner(JSON.stringify(await generateRecordKey()));
  const [old, next, third] = [await newSigner(), await newSigner(), await newSigner()];
  const store = new FolderStore(directory.path);
  await store.initialize(signal);
  const log = { graph: 'content', environment: 'production' };
  const trust = await TrustedKeys.from([old.publicKey]);
  const access = { store, trust, signer: next, otherSigners: [old], actor: 'ada' };
  const release = { digest: '0'.repeat(64), bytes: 0 };
  await appendRecord({ ...access, log, signal }, async () => ({
    release,
    routing: [],
    variants: [],
    action: 'publish',
    actor: 'ada',
    approvals: [],
  }));
  const replaceBy = async (...signers: readonly (typeof old)[]) =>
    replaceKeys(access, log, await TrustedKeys.from(signers.map(({ publicKey }) => publicKey)), signal);
  expect((await replaceBy(old, next)).exit).toBe(0);
  expect((await replaceBy(next)).exit).toBe(0);
  const replaced = {
    code: 'INVALID_KEY',
    message: `content@production has replaced the key ${old.keyId} before. Make a new one: trellis keys new.`,
  };
  await expect(replaceBy(old)).rejects.toMatchObject(replaced);
  await expect(replaceBy(third, old)).rejects.toMatchObject(replaced);
  expect((await replaceBy(next, third)).exit).toBe(0);
});

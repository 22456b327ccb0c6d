import { describe, expect, it } from 'vitest';
import { createRecordSigners, generateRecordKey, trustIn } from './record-signer.ts';

describe('The keys that sign', () => {
  it.each([
    ['separated by a space', (keys: readonly string[]) => keys.join(' ')],
    ['one a line', (keys: readonly string[]) => `${keys.join('\n')}\n`],
    ['over several lines', (keys: readonly string[]) => keys.map(indented).join('\n')],
    ['in a JWK set', (keys: readonly string[]) => `{"keys":[${keys.join(',')}]}`],
  ])('are read in their order: %s', async (_form, textOf) => {
    const keys = [await generateRecordKey(), await generateRecordKey()];
    const signers = await createRecordSigners(textOf(keys.map((key) => JSON.stringify(key))));
    const { signer, otherSigners } = signers;
    expect([signer, ...otherSigners].map(({ publicKey }) => publicKey.x)).toEqual(keys.map(({ x }) => x));
    expect((await trustIn(signers)).keyIds).toEqual([signer.keyId, otherSigners[0]?.keyId]);
  });

  it('may be one', async () => {
    const key = await generateRecordKey();
    const { signer, otherSigners } = await createRecordSigners(JSON.stringify(key));
    expect([signer.publicKey.x, otherSigners]).toEqual([key.x, []]);
  });

  it.each(['', '{"keys":[]}', 'secret', '{"d":"secret"}', '{"keys":[{"d":"secret"}]}'])(
    'are none in %j, which is in no message',
    async (text) => {
      await expect(createRecordSigners(text)).rejects.toMatchObject({
        code: 'INVALID_KEY',
        message: expect.not.stringContaining('secret') as string,
      });
    },
  );

  it('are sixteen at most', async () => {
    const key = JSON.stringify(await generateRecordKey());
    await expect(createRecordSigners(Array.from({ length: 17 }, () => key).join(' '))).rejects.toMatchObject({
      code: 'INVALID_KEY',
    });
  });
});

function indented(key: string): string {
  return JSON.stringify(JSON.parse(key), undefined, 2);
}

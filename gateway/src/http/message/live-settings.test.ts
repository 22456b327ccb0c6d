import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stageLibrary } from '../../testing/library-stage.ts';

const library = stageLibrary();

describe('gateway.yaml', () => {
  it('is reloaded when it changes, as a whole or not at all', async () => {
    const gateway = await library.start({ settings: 'limits: { aliases: 1 }' });
    const file = join(gateway.directory, 'gateway.yaml');
    const twoAliases = async (): Promise<number> =>
      (await gateway.post({ query: '{ a: public b: public }' })).status;
    expect(await twoAliases()).toBe(400);
    writeFileSync(file, 'limits: { aliases: 2, nonsense: 1 }');
    await expect.poll(() => JSON.stringify(gateway.logged())).toContain('keeping the current one');
    expect(await twoAliases()).toBe(400);
    writeFileSync(file, 'limits: { aliases: 2 }');
    await expect.poll(twoAliases).toBe(200);
  });
});

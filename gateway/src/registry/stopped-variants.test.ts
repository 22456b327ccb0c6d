import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoppedVariants } from './stopped-variants.ts';

const LOG = { graph: 'content', environment: 'production' };
const canary = { name: 'canary', release: { digest: '0'.repeat(64), bytes: 1 } };
const failed = vi.fn<(error: unknown) => void>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stopped-variants-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => failed.mockClear());

async function opened(directory: string): Promise<StoppedVariants> {
  const stopped = new StoppedVariants(directory, LOG, failed);
  await stopped.load();
  return stopped;
}

describe('Variants that have stopped', () => {
  it('are stopped after a restart', async () => {
    const first = await opened(folder);
    first.add(canary, 4);
    await first.settled();
    expect((await opened(folder)).has(canary)).toBe(true);
    expect(failed).not.toHaveBeenCalled();
  });

  it('are stopped where the file can not be written, which is reported', async () => {
    await writeFile(join(folder, 'file'), '');
    const stopped = new StoppedVariants(join(folder, 'file'), LOG, failed);
    stopped.add(canary, 4);
    await stopped.settled();
    expect(stopped.has(canary)).toBe(true);
    expect(failed).toHaveBeenCalledOnce();
  });

  it.each(['[{', '[{"name":1}]'])('are none where the file is %s, which is reported', async (text) => {
    await writeFile(join(folder, 'content@production.stopped.json'), text);
    expect((await opened(folder)).has(canary)).toBe(false);
    expect(failed).toHaveBeenCalledOnce();
  });
});

import { describe, expect, it } from 'vitest';
import { ChangeQueue } from './change-queue.ts';

describe('Changes that wait', () => {
  it('take turns by client, and are bounded for each', async () => {
    const queue = new ChangeQueue();
    const order: string[] = [];
    let begin = (): void => undefined;
    const first = queue.run('busy', () => new Promise<void>((resolve) => (begin = resolve)));
    const run = (client: string, name: string): Promise<unknown> =>
      queue.run(client, async () => void order.push(name));
    const busy = Array.from({ length: 16 }, (_, index) => run('busy', `busy ${index}`));
    await expect(run('busy', 'one too many')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const other = run('other', 'other');
    await new Promise((resolve) => setTimeout(resolve, 20));
    begin();
    await Promise.all([first, other, ...busy]);
    expect([order[0], order.length]).toEqual(['other', 17]);
    await expect(queue.run('x', () => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails');
    expect(await queue.run('x', async () => 'goes on')).toBe('goes on');
  });
});

import { describe, expect, it } from 'vitest';
import { batchById } from './batch-by-id.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('batchById', () => {
  it('reads once for all who ask in one turn, and again for later callers', async () => {
    const reads: (readonly string[])[] = [];
    const find = batchById(async (ids) => {
      reads.push(ids);
      return new Map(ids.filter((id) => id !== 'none').map((id) => [id, `${id} at ${reads.length}`]));
    });
    expect(await Promise.all([find('a'), find('b'), find('a'), find('none')])).toEqual([
      'a at 1',
      'b at 1',
      'a at 1',
      undefined,
    ]);
    expect(await find('a')).toBe('a at 2');
    expect(reads).toEqual([['a', 'b', 'none'], ['a']]);
  });

  it('reads for all who ask while a read is under way in one go, after it', async () => {
    const reads: (readonly string[])[] = [];
    const ends: (() => void)[] = [];
    const find = batchById(async (ids) => {
      reads.push(ids);
      await new Promise<void>((resolve) => ends.push(resolve));
      return new Map(ids.map((id) => [id, id]));
    });
    const first = find('a');
    await turn();
    const others = [find('b')];
    await turn();
    others.push(find('c'));
    ends[0]?.();
    expect(await first).toBe('a');
    await turn();
    expect(reads).toEqual([['a'], ['b', 'c']]);
    ends[1]?.();
    expect(await Promise.all(others)).toEqual(['b', 'c']);
  });

  it('waits for no read that hangs', async () => {
    const never = new Promise<never>(() => undefined);
    const find = batchById(async (ids) =>
      ids.includes('hangs') ? never : new Map(ids.map((id) => [id, id])),
    );
    void find('hangs');
    await turn();
    expect(await find('a')).toBe('a');
  });

  it('bounds a read', async () => {
    const sizes: number[] = [];
    const find = batchById(async (ids) => {
      sizes.push(ids.length);
      return new Map(ids.map((id) => [id, id]));
    });
    const ids = Array.from({ length: 1_200 }, (_, index) => String(index));
    expect(await Promise.all(ids.map((id) => find(id)))).toEqual(ids);
    expect(sizes).toEqual([500, 500, 200]);
  });

  it('rejects all callers on a failure, and goes on afterwards', async () => {
    let fails = true;
    const find = batchById(async (ids) => {
      if (fails) throw new Error('unavailable');
      return new Map(ids.map((id) => [id, id]));
    });
    const outcomes = await Promise.allSettled([find('a'), find('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await find('a')).toBe('a');
  });
});

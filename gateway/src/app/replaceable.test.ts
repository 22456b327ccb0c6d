import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Replaceable } from './replaceable.ts';

interface Lamp {
  readonly colour: string;
}

function setUp(): { readonly lamp: Replaceable<{ colour?: string }, Lamp>; readonly closed: string[] } {
  const closed: string[] = [];
  const lamp = new Replaceable<{ colour?: string }, Lamp>({
    drainMs: () => 20,
    open: async ({ colour }) => {
      if (colour === 'broken') throw new Error('no such lamp');
      return colour === undefined
        ? undefined
        : { value: { colour }, close: async () => void closed.push(colour) };
    },
  });
  return { lamp, closed };
}

describe('A replaceable resource', () => {
  it('is the new one when it is committed; the one before is closed when it has drained', async () => {
    const { lamp, closed } = setUp();
    (await lamp.prepare({ colour: 'red' })).commit();
    const next = await lamp.prepare({ colour: 'green' });
    expect([next.value, lamp.current]).toEqual([{ colour: 'green' }, { colour: 'red' }]);
    next.commit();
    expect([lamp.current, closed]).toEqual([{ colour: 'green' }, []]);
    await expect.poll(() => closed).toEqual(['red']);
    (await lamp.prepare({})).commit();
    expect(lamp.current).toBeUndefined();
    await lamp.close();
    expect(closed).toEqual(['red', 'green']);
  });

  it('stays the same one for equal settings', async () => {
    const { lamp, closed } = setUp();
    (await lamp.prepare({ colour: 'red' })).commit();
    const { current } = lamp;
    const again = await lamp.prepare({ colour: 'red' });
    again.commit();
    await again.discard();
    await pause(40);
    expect(lamp.current).toBe(current);
    expect(closed).toEqual([]);
    await lamp.close();
  });

  it('stays what it is where the new one cannot be opened, or is discarded', async () => {
    const { lamp, closed } = setUp();
    (await lamp.prepare({ colour: 'red' })).commit();
    await expect(lamp.prepare({ colour: 'broken' })).rejects.toThrow('no such lamp');
    await (await lamp.prepare({ colour: 'green' })).discard();
    expect([lamp.current, closed]).toEqual([{ colour: 'red' }, ['green']]);
    await lamp.close();
  });
});

import { describe, expect, it } from 'vitest';
import type { AttemptLimit, AttemptStore } from './attempt-store.ts';
import { createBoundedAttempts, type BoundedAttempts } from './bounded-attempts.ts';

const LIMIT = { failures: 3, windowS: 60 };

interface Scene {
  readonly attempts: BoundedAttempts;
  readonly counts: Map<string, number>;
  /** Counters that there is room for now. */
  room: number;
  now: number;
}

function setScene(room: number): Scene {
  const counts = new Map<string, number>();
  const store: AttemptStore = {
    reserve: async (name, { failures }: AttemptLimit) => {
      const count = counts.get(name) ?? 0;
      if (count >= failures) return 60;
      counts.set(name, count + 1);
      return 0;
    },
    refund: async (name) => void counts.set(name, (counts.get(name) ?? 0) - 1),
  };
  const take = (): { giveBack: () => void } | undefined => {
    if (scene.room === 0) return undefined;
    scene.room -= 1;
    return { giveBack: () => void (scene.room += 1) };
  };
  const attempts = createBoundedAttempts(store, { take }, () => scene.now);
  const scene: Scene = { attempts, counts, room, now: 0 };
  return scene;
}

async function waits(scene: Scene, name: string, times: number): Promise<boolean[]> {
  const waited: boolean[] = [];
  for (let round = 0; round < times; round += 1)
    waited.push((await scene.attempts.from('192.0.2.1').reserve(name, LIMIT)) > 0);
  return waited;
}

describe('H2: a counter of what anybody may try', () => {
  it('takes room once, however often it counts, until its window is over', async () => {
    const scene = setScene(10);
    expect(await waits(scene, 'ada', 5)).toEqual([false, false, false, true, true]);
    expect(scene.room).toBe(9);
    scene.now = 60_000;
    await scene.attempts.from('192.0.2.1').reserve('grace', LIMIT);
    expect(scene.room).toBe(8);
  });

  it('counts in the process where there is no room, and writes nothing', async () => {
    const scene = setScene(0);
    expect(await waits(scene, 'ada', 5)).toEqual([false, false, false, true, true]);
    expect(await waits(scene, 'grace', 1)).toEqual([false]);
    expect(scene.counts.size).toBe(0);
  });

  it.each([0, 1])('is empty again when all is refunded, with room for %i', async (room) => {
    const scene = setScene(room);
    for (let round = 0; round < 10; round += 1) {
      const attempt = scene.attempts.from('192.0.2.1');
      expect(await attempt.reserve('ada', LIMIT)).toBe(0);
      await attempt.refund('ada');
    }
    expect(scene.room).toBe(room);
    expect(await waits(scene, 'ada', 4)).toEqual([false, false, false, true]);
  });
});

import { shareKeysOf } from '@trellis/runtime/admission';
import { describe, expect, it } from 'vitest';
import { createWriteRoom, type WriteRoom } from './write-room.ts';

/** As by default. */
const TOTAL = 16_777_216;

function createRoom(): { readonly room: WriteRoom; readonly pass: (seconds: number) => void } {
  let now = 0;
  return { room: createWriteRoom(TOTAL, () => now), pass: (seconds) => void (now += seconds * 1000) };
}

/** @returns the bytes that there was room for */
function fill(room: WriteRoom, address: string, bytes = 1_000): number {
  let taken = 0;
  while (taken < 2 * TOTAL && room.take(shareKeysOf({ address }), bytes, 60)) taken += bytes;
  return taken;
}

describe('H2: room for what anybody may write', () => {
  it('is a quarter for one address alone, half for the networks around it', () => {
    const { room } = createRoom();
    expect(fill(room, '192.0.2.1')).toBeCloseTo(TOTAL / 4, -5);
    const others = Array.from({ length: 200 }, (_, index) => fill(room, `192.0.2.${index + 2}`));
    expect(others.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(TOTAL / 4);
  });

  it.each([300, 8_400])(
    'is never more than the total, and never nothing for one that comes new: 1,000 networks with records of %i bytes',
    (bytes) => {
      const { room } = createRoom();
      let all = 0;
      for (let round = 0; round < 3; round += 1) {
        for (let network = 0; network < 1_000; network += 1) {
          all += fill(room, `10.${network >> 8}.${network & 255}.1`, bytes);
        }
      }
      expect(all).toBeLessThanOrEqual(TOTAL);
      expect(all).toBeGreaterThan(TOTAL * 0.7);
      for (let user = 0; user < 50; user += 1) {
        expect(room.take(shareKeysOf({ address: `198.51.${user}.1` }), 800, 60)).toBeDefined();
      }
    },
  );

  it('comes back at once where nothing was written after all', () => {
    const { room, pass } = createRoom();
    const keys = shareKeysOf({ address: '192.0.2.1' });
    for (let round = 0; round < 10_000; round += 1) {
      const taken = room.take(keys, 4_000, 60);
      taken?.giveBack();
      taken?.giveBack();
    }
    const before = fill(room, '192.0.2.1');
    expect(before).toBeCloseTo(TOTAL / 4, -5);
    pass(60);
    expect(fill(room, '192.0.2.1')).toBe(before);
  });

  it('comes back when what was written has expired', () => {
    const { room, pass } = createRoom();
    const before = fill(room, '192.0.2.1');
    pass(59);
    expect(fill(room, '192.0.2.1')).toBe(0);
    pass(1);
    expect(fill(room, '192.0.2.1')).toBe(before);
  });
});

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { shareKeysOf, type ShareKeys } from '@trellis/runtime/admission';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UnreadResponses, type CutOffReason, type UnreadRules } from './unread-responses.ts';
import type { UnreadBytes } from './unread-reader.ts';

const RULES: UnreadRules = {
  totalBytes: 1_000,
  perCallerBytes: [500, 600, 750],
  bytesPerSecond: 100,
  stalledMs: 4_000,
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A connection whose client reads on request. */
class Client {
  readonly unread: UnreadBytes;
  bytesWritten = 0;
  writableLength = 0;
  destroyed = false;

  constructor(responses: UnreadResponses, keys: ShareKeys) {
    this.unread = responses.watch(
      this,
      () => keys,
      () => this.writableLength,
    );
  }

  write(bytes: number): this {
    this.bytesWritten += bytes;
    this.writableLength += bytes;
    this.unread.update();
    return this;
  }

  read(bytes: number): void {
    this.writableLength -= bytes;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function open(rules: Partial<UnreadRules> = {}): {
  readonly responses: UnreadResponses;
  readonly cutOff: CutOffReason[];
  client(address: string, user?: string): Client;
} {
  const cutOff: CutOffReason[] = [];
  const responses = new UnreadResponses(
    { ...RULES, ...rules },
    { onCutOff: (reason) => cutOff.push(reason) },
  );
  return {
    responses,
    cutOff,
    client: (address, user) => new Client(responses, shareKeysOf({ user, address })),
  };
}

describe('What clients leave unread', () => {
  it('is counted until it is read, or the client goes', () => {
    const { responses, client, cutOff } = open();
    const [first, second] = [client('192.0.2.1').write(100), client('198.51.100.1').write(50)];
    expect([responses.bytes, responses.clients]).toEqual([150, 2]);
    first.read(40);
    vi.advanceTimersByTime(1_000);
    expect(responses.bytes).toBe(110);
    first.unread.end();
    first.unread.end();
    second.destroy();
    vi.advanceTimersByTime(1_000);
    expect([responses.bytes, responses.clients, cutOff]).toEqual([0, 0, []]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['one address', 500, (_index: number) => '192.0.2.1'],
    ['all addresses of a /24', 600, (index: number) => `192.0.2.${index}`],
    ['a /64', 500, (index: number) => `2001:db8::${index}`],
    ['all networks of a /56', 600, (index: number) => `2001:db8:0:${index}::1`],
    ['all networks of a /48', 750, (index: number) => `2001:db8:0:${index}00::1`],
    ['everybody', 1_000, (index: number) => `192.0.${index}.1`],
  ])('is bounded for %s', (_who, most, addressOf) => {
    const { responses, client } = open();
    for (let index = 1; index <= 50; index += 1) client(addressOf(index)).write(90);
    expect(responses.bytes).toBeLessThanOrEqual(most);
    expect(responses.bytes).toBeGreaterThan(most - 90);
  });

  it('is given back once by a reader that is over its share and too slow at the same time', () => {
    const { responses, client, cutOff } = open();
    const standing = client('192.0.2.1').write(400);
    vi.advanceTimersByTime(4_000);
    const other = client('192.0.2.1').write(90);
    standing.writableLength += 100; // more is found when it is looked at
    standing.bytesWritten += 100;
    vi.advanceTimersByTime(1_000);
    expect([standing.destroyed, other.destroyed, cutOff]).toEqual([true, false, ['share']]);
    expect([responses.bytes, responses.clients]).toEqual([90, 1]);
    other.unread.end();
    standing.unread.end();
    expect([responses.bytes, responses.clients]).toEqual([0, 0]);
  });

  it('is not counted for a connection that is gone', () => {
    const { responses, client } = open();
    const gone = client('192.0.2.1');
    gone.destroy();
    gone.write(90);
    expect([responses.bytes, responses.clients, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('counts for a user wherever it comes from', () => {
    const { responses, client } = open();
    for (let index = 1; index <= 50; index += 1) client(`192.0.${index}.1`, 'ada').write(90);
    expect(responses.bytes).toBeLessThanOrEqual(500);
  });

  it('G7: costs the slowest readers their connection, not those who read', () => {
    const { client, cutOff } = open();
    const reading = client('192.0.2.1').write(400);
    const standing = client('198.51.100.1').write(300);
    vi.advanceTimersByTime(1_000);
    reading.read(150);
    vi.advanceTimersByTime(1_000);
    const newcomer = client('203.0.113.1').write(499);
    expect([reading.destroyed, standing.destroyed, newcomer.destroyed]).toEqual([false, true, false]);
    expect(cutOff).toEqual(['total']);
  });

  it('may be more than the bound where one client alone has it', () => {
    const { responses, client, cutOff } = open();
    client('192.0.2.1').write(5_000);
    expect([responses.bytes, cutOff]).toEqual([5_000, []]);
  });
});

describe('A client', () => {
  it('that reads at the minimum rate is left alone, however long it takes', () => {
    const { client, cutOff } = open({ totalBytes: 1e6, perCallerBytes: [1e6] });
    const slow = client('192.0.2.1').write(10_000);
    for (let second = 0; second < 60; second += 1) {
      slow.read(100);
      vi.advanceTimersByTime(1_000);
    }
    expect(cutOff).toEqual([]);
  });

  it('G7: that reads some bytes now and then is cut off, as one is that reads nothing', () => {
    const { responses, client, cutOff } = open({ totalBytes: 1e6, perCallerBytes: [1e6] });
    const [trickling, standing] = [client('192.0.2.1').write(10_000), client('192.0.2.2').write(10_000)];
    for (let second = 0; second < 6; second += 1) {
      trickling.read(20);
      vi.advanceTimersByTime(1_000);
      if (second === 2) expect(cutOff).toEqual([]);
    }
    expect([trickling.destroyed, standing.destroyed, cutOff]).toEqual([true, true, ['slow', 'slow']]);
    expect(responses.bytes).toBe(0);
  });

  it('gives up its place for others only when it reads too slowly', () => {
    const { responses, client, cutOff } = open();
    const reader = client('192.0.2.1').write(400);
    expect(responses.cutOffSlowest()).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect([responses.cutOffSlowest(), responses.cutOffSlowest()]).toEqual([true, false]);
    expect([reader.destroyed, cutOff]).toEqual([true, ['place']]);
    reader.write(50);
    expect(responses.bytes).toBe(0);
  });

  it('allocate nothing in the old generation for large responses that are read', () => {
    const { responses, client } = open();
    const connection = client('192.0.2.1');
    const response = (times: number): void => {
      for (let index = 0; index < times; index += 1) {
        connection.write(100).read(100);
        connection.unread.update();
      }
    };
    response(1_000);
    collectGarbage(); // twice: what survives both is old
    collectGarbage();
    const before = oldSpaceBytes();
    response(20_000);
    expect(oldSpaceBytes() - before).toBeLessThan(1_000_000); // 3 MB where each reader is deleted from the map
    expect(responses.clients).toBe(0);
    responses.close();
  });

  it('count a caller again who has read all, and comes back on the same connection with other keys', () => {
    const { responses, cutOff } = open({ totalBytes: 10_000 });
    let keys = shareKeysOf({ user: 'a', address: '192.0.2.1' });
    const connection = { bytesWritten: 0, writableLength: 0, destroyed: false, destroy: () => undefined };
    const unread = responses.watch(
      connection,
      () => keys,
      () => connection.writableLength,
    );
    const leaveUnread = (bytes: number): void => {
      connection.writableLength = bytes;
      unread.update();
    };
    leaveUnread(400);
    leaveUnread(0);
    expect(responses.clients).toBe(0);
    keys = shareKeysOf({ user: 'b', address: '192.0.2.1' });
    leaveUnread(400);
    const other = new Client(responses, shareKeysOf({ user: 'a', address: '198.51.100.1' })).write(400);
    expect([responses.clients, responses.bytes, cutOff]).toEqual([2, 800, []]);
    leaveUnread(0);
    other.read(400);
    vi.advanceTimersByTime(1_000);
    expect([responses.clients, responses.bytes]).toEqual([0, 0]);
    responses.close();
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function oldSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}

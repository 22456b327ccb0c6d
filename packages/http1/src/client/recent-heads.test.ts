import { describe, expect, it } from 'vitest';
import { BrokenResponse } from './exchange.ts';
import { parseHead, RecentHeads } from './response-head.ts';

const headOf = (length: number): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nKeep-Alive: timeout=5`;

describe('Heads of responses that come again', () => {
  it('say what they say when they are read for the first time, in whatever order they come', () => {
    const heads = new RecentHeads();
    for (let index = 0; index < 200; index += 1) {
      const text = headOf((index * 7) % 11);
      expect(heads.read(text)).toEqual(parseHead(text));
    }
  });

  it('are read once while they come again, and read again when others have come meanwhile', () => {
    const heads = new RecentHeads();
    const first = heads.read(headOf(1));
    expect(heads.read(headOf(1))).toBe(first);
    for (const length of [2, 3, 4, 5]) heads.read(headOf(length));
    expect(heads.read(headOf(1))).not.toBe(first);
    expect(heads.read(headOf(1))).toEqual(first);
  });

  it('are rejected each time where they are malformed', () => {
    const heads = new RecentHeads();
    const broken = `${headOf(1)}\r\nContent-Length: 2`;
    for (let time = 0; time < 3; time += 1) expect(() => heads.read(broken)).toThrow(BrokenResponse);
    expect(heads.read(headOf(1)).length).toBe(1);
  });
});

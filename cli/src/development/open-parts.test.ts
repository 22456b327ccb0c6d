import { StartupError } from '@trellis/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { OpenParts } from './open-parts.ts';

interface Part {
  close(): Promise<void>;
}

let closed: string[];
let parts: OpenParts;
beforeEach(() => {
  closed = [];
  parts = new OpenParts();
});

const partOf = (name: string): Part => ({ close: async () => void closed.push(name) });

describe('The end of trellis dev', () => {
  it('closes what is open, the newest first, and once', async () => {
    await parts.open(Promise.resolve(partOf('stores')));
    parts.add(partOf('command'));
    await Promise.all([parts.close(), parts.close()]);
    expect(closed).toEqual(['command', 'stores']);
  });

  it('waits for what is being opened, closes it, and lets nothing be opened behind it', async () => {
    parts.add(partOf('mocks'));
    let isOpen: (part: Part) => void = () => undefined;
    const opening = parts
      .open(new Promise<Part>((resolve) => (isOpen = resolve)))
      .catch((error: unknown) => error);
    const end = parts.close();
    expect(closed).toEqual([]);
    isOpen(partOf('stores'));
    await end;
    expect(closed).toEqual(['stores', 'mocks']);
    expect(await opening).toEqual(new StartupError('It was asked to end before it was ready.'));
    expect(() => parts.add(partOf('command'))).toThrow('It was asked to end');
  });

  it('does not stumble over what could not be opened', async () => {
    parts.add(partOf('mocks'));
    await expect(parts.open(Promise.reject(new Error('no PostgreSQL')))).rejects.toThrow('no PostgreSQL');
    await parts.close();
    expect(closed).toEqual(['mocks']);
  });
});

import { describe, expect, it } from 'vitest';
import { startLater } from './start-later.ts';

/** A deployable that fails with these messages, one after the other, and then serves. */
function failing(messages: readonly string[]) {
  const events: string[] = [];
  const left = [...messages];
  const start = () => {
    const message = left.shift();
    if (message !== undefined) return Promise.reject(new Error(message));
    events.push('started');
    return Promise.resolve({
      url: 'http://localhost:1',
      close: () => Promise.resolve(void events.push('closed')),
    });
  };
  return { events, start };
}

describe('A deployable that could not be started', () => {
  it('is tried until it serves, and each new reason is printed once', async () => {
    const { events, start } = failing(['no database', 'no database', 'no rights']);
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const failure = new Error('no database');
    const later = startLater({ service: 'posts', start, failure, print, firstPauseMs: 1 });
    await expect.poll(() => events).toEqual(['started']);
    await later.close();
    expect(events).toEqual(['started', 'closed']);
    expect(lines).toEqual([
      'posts could not be started, and is tried again: no database',
      'posts could not be started, and is tried again: no rights',
      'posts serves now.',
    ]);
  });

  it('is not started any more once it is closed', async () => {
    const { events, start } = failing([]);
    const later = startLater({
      service: 'posts',
      start,
      failure: 'gone',
      print: () => {},
      firstPauseMs: 60_000,
    });
    await later.close();
    expect(events).toEqual([]);
  });
});

import { AsyncLocalStorage } from 'node:async_hooks';
import { connect, createServer, type AddressInfo } from 'node:net';
import type { QueueCaller } from '@trellis/runtime/admission';
import { describe, expect, it } from 'vitest';
import { FairTurns } from './waiting-line.ts';

const user = (name: string): QueueCaller => ({ keys: [`user:${name}`], isKnown: true });
const here = new AbortController().signal;

/** Takes longer than a turn has. */
function busy(): void {
  const end = performance.now() + 2;
  while (performance.now() < end);
}

/** Counts turns of the event loop until `end()`. */
function countTurns(): { end(): number } {
  let turns = 0;
  let isEnding = false;
  const count = (): void => {
    turns += 1;
    if (!isEnding) setImmediate(count);
  };
  setImmediate(count);
  return {
    end() {
      isEnding = true;
      return turns;
    },
  };
}

describe('Events that begin', () => {
  it('G3: leave each turn of the event loop to others also when their work begins after a promise', async () => {
    const turns = new FairTurns({ turnMs: 1 });
    const loops = countTurns();
    const event = async (): Promise<void> => {
      await Promise.resolve();
      busy();
    };
    await Promise.all(Array.from({ length: 20 }, async () => turns.run(undefined, here, event)));
    expect(loops.end()).toBeGreaterThanOrEqual(18); // the first two may have one
  });

  it('are many in a turn when each takes little, each in the context in which it came', async () => {
    const turns = new FairTurns({ turnMs: 1_000 });
    const spans = new AsyncLocalStorage<number>();
    const loops = countTurns();
    const seen = Array.from({ length: 60 }, (_, span) =>
      spans.run(span, async () => turns.run(undefined, here, async () => Promise.resolve(spans.getStore()))),
    );
    expect(await Promise.all(seen)).toEqual(Array.from({ length: 60 }, (_, span) => span));
    expect(loops.end()).toBeLessThan(8);
  });

  it('begin at once where nothing else goes on, and have their turns by shares of callers', async () => {
    const turns = new FairTurns({ turnMs: 1_000 });
    const begun: string[] = [];
    const event = (name: string) => async () => Promise.resolve(begun.push(name));
    const heavy = Array.from({ length: 20 }, async (_, index) =>
      turns.run(user('heavy'), here, event(`heavy ${index}`)),
    );
    const light = turns.run(user('light'), here, event('light'));
    expect(begun).toEqual(['heavy 0']);
    expect(turns.waiting).toBe(20);
    await light;
    expect(begun.length).toBeLessThan(4);
    await Promise.all(heavy);
    expect(begun).toHaveLength(21);
  });
});

describe('Work on new texts', () => {
  it('is done at once as long as there is little of it', () => {
    const turns = new FairTurns({ turnMs: 5 });
    expect(turns.run(user('ada'), here, () => 'done')).toBe('done');
    expect(() =>
      turns.run(user('ada'), here, () => {
        throw new Error('rejected');
      }),
    ).toThrow('rejected');
  });

  it('G3: leaves each turn of the event loop to others, and is shared by callers', async () => {
    const turns = new FairTurns({ turnMs: 1, turnsBetween: 16 });
    const done: string[] = [];
    const work = (name: string) => () => {
      busy();
      done.push(name);
      return name;
    };
    const heavy = Array.from({ length: 20 }, (_, index) =>
      turns.run(user('heavy'), here, work(`heavy ${index}`)),
    );
    const light = turns.run(user('light'), here, work('light'));
    expect(done).toEqual(['heavy 0']);
    expect(turns.waiting).toBe(heavy.length);
    const loops = countTurns();
    expect(await light).toBe('light');
    expect(done.length).toBeLessThan(4);
    await Promise.all(heavy.map(async (each) => each));
    expect(loops.end()).toBeGreaterThan(heavy.length * 16);
  });

  it('is done as long as a turn has time for it: many short ones, and all that no one waits for any more', async () => {
    const turns = new FairTurns({ turnMs: 1_000, turnsBetween: 16 });
    const leaving = new AbortController();
    const first = turns.run(user('ada'), here, async () => Promise.resolve('first')); // the others wait for it
    const left = Array.from({ length: 500 }, async () =>
      turns.run(user('ada'), leaving.signal, () => 'left'),
    );
    const texts = Array.from({ length: 500 }, async (_, text) => turns.run(user('ada'), here, () => text));
    leaving.abort(new Error('gone'));
    const loops = countTurns();
    expect(await first).toBe('first');
    expect(await Promise.all(texts)).toHaveLength(500);
    expect((await Promise.allSettled(left)).every(({ status }) => status === 'rejected')).toBe(true);
    expect(loops.end()).toBeLessThan(40);
  });

  it('G3: lets in many who connect meanwhile for each text: Node accepts one connection in each turn of the event loop', async () => {
    const turns = new FairTurns({ turnMs: 1, turnsBetween: 16 });
    let begun = 0;
    const work = (): void => {
      begun += 1;
      busy();
    };
    let accepted = 0;
    let allAreIn = (): void => undefined;
    const everybody = new Promise<void>((resolve) => {
      allAreIn = resolve;
    });
    const server = createServer((socket) => {
      socket.destroy();
      accepted += 1;
      if (accepted === 40) allAreIn();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo; // it listens on TCP
    for (let client = 0; client < 40; client += 1) connect(port, '127.0.0.1').on('error', () => undefined);
    const texts = Array.from({ length: 40 }, () => turns.run(user('heavy'), here, work));
    await everybody;
    expect(begun).toBeLessThan(10);
    await Promise.all(texts.map(async (each) => each));
    server.close();
  });

  it('that fails later, or has no caller any more, is reported', async () => {
    const turns = new FairTurns({ turnMs: 1, turnsBetween: 16 });
    await turns.run(user('ada'), here, busy);
    const leaving = new AbortController();
    let isDone = false;
    const left = turns.run(user('ada'), leaving.signal, () => (isDone = true));
    const failing = turns.run(user('ada'), here, () => {
      throw new Error('rejected');
    });
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(failing).rejects.toThrow('rejected');
    expect(isDone).toBe(false);
  });

  it('goes on in the context in which it came, also behind others', async () => {
    const turns = new FairTurns({ turnMs: 1 });
    const spans = new AsyncLocalStorage<number>();
    const seen = await Promise.all(
      Array.from({ length: 5 }, (_, span) =>
        spans.run(span, async () =>
          turns.run(undefined, here, () => {
            busy();
            return spans.getStore();
          }),
        ),
      ),
    );
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });
});

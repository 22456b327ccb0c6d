import { RegistryError } from '@trellis/registry';
import { describe, expect, it } from 'vitest';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import { AbortQueue } from './abort-queue.ts';

const log = { graph: 'content', environment: 'production' };
const aborted: CommandOutcome = { exit: 0, lines: [], document: { outcome: 'aborted', record: 7 } };

/** An abort that is made when it is released. */
function held(outcome: Promise<CommandOutcome> | CommandOutcome = aborted) {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let made = 0;
  const abort = async (): Promise<CommandOutcome> => {
    made += 1;
    await released;
    return outcome;
  };
  return { abort, release: () => release(), made: () => made };
}

describe('Aborts that wait', () => {
  it('are at most 64 of a log: the 65th is rejected, those of other logs are not', async () => {
    const queue = new AbortQueue();
    const first = held();
    const waiting = Array.from({ length: 65 }, (_, index) => queue.run(log, `v${index}`, first.abort));
    await expect(queue.run(log, 'one too many', first.abort)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'Too many aborts of content@production wait. Try again later.',
    });
    const other = { ...log, environment: 'staging' };
    expect(await queue.run(other, 'v', async () => aborted)).toEqual(aborted);
    expect(first.made(), 'one after the other').toBe(1);
    first.release();
    expect(await Promise.all(waiting)).toHaveLength(65);
    expect(await queue.run(log, 'later', async () => aborted)).toEqual(aborted);
  });

  it('are made once for all gateways that stop a canary, and take no room then', async () => {
    const queue = new AbortQueue();
    const first = held();
    const all = Array.from({ length: 200 }, () => queue.run(log, 'canary', first.abort));
    first.release();
    const outcomes = (await Promise.all(all)).map(({ document }) => document);
    const unchanged = outcomes.filter(({ outcome, record }) => outcome === 'unchanged' && record === 7);
    expect([first.made(), outcomes[0]?.['outcome'], unchanged.length]).toEqual([1, 'aborted', 199]);
  });

  it('go on where one before them fails; an equal one fails with it, unless that had no right', async () => {
    const queue = new AbortQueue();
    const failing = (code: 'NO_RIGHT' | 'CONFLICT') => () => Promise.reject(new RegistryError(code, code));
    const succeeding = async (): Promise<CommandOutcome> => aborted;
    const outcomes = await Promise.allSettled([
      queue.run(log, 'a', failing('CONFLICT')),
      queue.run(log, 'a', succeeding),
      queue.run(log, 'b', failing('NO_RIGHT')),
      queue.run(log, 'b', succeeding),
    ]);
    expect(outcomes).toMatchObject([
      { reason: { code: 'CONFLICT' } },
      { reason: { code: 'CONFLICT' } },
      { reason: { code: 'NO_RIGHT' } },
      { value: aborted },
    ]);
  });
});

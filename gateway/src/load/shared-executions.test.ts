import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../plan/plan.ts';
import type { ExecutionResult } from '../plan/response-body.ts';
import { SharedExecutions } from './shared-executions.ts';

const newPlan = (): Plan => ({}) as Plan; // nothing but its identity counts
const plan = newPlan();
const { signal } = new AbortController();

/** Executions that answer with their number. */
function counter(): { readonly execute: () => Promise<ExecutionResult>; count(): number } {
  let count = 0;
  return {
    execute: () => Promise.resolve({ data: { number: (count += 1) }, objects: 0 }),
    count: () => count,
  };
}

async function nextTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

describe('Queries that arrive together', () => {
  it('are executed once where they are the same in everything', async () => {
    const shared = new SharedExecutions();
    const { execute, count } = counter();
    const results = await Promise.all([1, 2, 3].map(() => shared.execute(plan, 'same', signal, execute)));
    expect(count()).toBe(1);
    expect(new Set(results).size).toBe(1);
  });

  it('S-095 are executed each where their plan or any client data for subgraphs differs', async () => {
    const shared = new SharedExecutions();
    const { execute, count } = counter();
    await Promise.all([
      shared.execute(plan, 'one', signal, execute),
      shared.execute(plan, 'other', signal, execute),
      shared.execute(newPlan(), 'one', signal, execute),
    ]);
    expect(count()).toBe(3);
  });

  it('never get what was read before they arrived', async () => {
    const shared = new SharedExecutions();
    const { execute, count } = counter();
    let isBegun: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (isBegun = resolve));
    let finish: (result: ExecutionResult) => void = () => undefined;
    const slow = (): Promise<ExecutionResult> => {
      isBegun();
      return new Promise((resolve) => (finish = resolve));
    };
    const early = shared.execute(plan, 'same', signal, slow);
    await begun;
    await expect(shared.execute(plan, 'same', signal, execute)).resolves.toMatchObject({
      data: { number: 1 },
    });
    finish({ data: { number: 0 }, objects: 0 });
    await expect(early).resolves.toMatchObject({ data: { number: 0 } });
    expect(count()).toBe(1);
  });

  it('gather while the same query is being executed', async () => {
    const shared = new SharedExecutions();
    const { execute, count } = counter();
    let isBegun: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (isBegun = resolve));
    let finish: (result: ExecutionResult) => void = () => undefined;
    const early = shared.execute(plan, 'same', signal, () => {
      isBegun();
      return new Promise((resolve) => (finish = resolve));
    });
    await begun;
    const first = shared.execute(plan, 'same', signal, execute);
    await new Promise((resolve) => setImmediate(resolve));
    const second = shared.execute(plan, 'same', signal, execute);
    finish({ data: { number: 0 }, objects: 0 });
    await expect(early).resolves.toMatchObject({ data: { number: 0 } });
    expect(await first).toBe(await second);
    expect(count()).toBe(1);
  });

  it('share another execution when the client goes whose query was to be executed', async () => {
    const shared = new SharedExecutions();
    const { execute, count } = counter();
    const left = shared.execute(plan, 'same', signal, () => Promise.reject(new Error('gone')));
    const others = [1, 2, 3].map(() => shared.execute(plan, 'same', signal, execute));
    await expect(left).rejects.toThrow('gone');
    await expect(Promise.all(others)).resolves.toEqual(
      others.map(() => ({ data: { number: 1 }, objects: 0 })),
    );
    expect(count()).toBe(1);
  });

  it('do not fail with the client whose query was executed', async () => {
    const shared = new SharedExecutions();
    const { execute } = counter();
    const left = shared.execute(plan, 'same', signal, () => Promise.reject(new Error('gone')));
    const stays = shared.execute(plan, 'same', signal, execute);
    await expect(left).rejects.toThrow('gone');
    await expect(stays).resolves.toMatchObject({ data: { number: 1 } });
  });

  it('leave the others alone when one of their clients goes', async () => {
    const shared = new SharedExecutions();
    const { execute, count } = counter();
    const leaving = new AbortController();
    const first = shared.execute(plan, 'same', signal, execute);
    const second = shared.execute(plan, 'same', leaving.signal, () => Promise.reject(new Error('gone')));
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await expect(first).resolves.toMatchObject({ data: { number: 1 } });
    expect(count()).toBe(1);
  });

  // what is waited for is a matter of 10 ms, in which a busy machine may not get to ask again
  it(
    'wait a moment for those who were just answered, where many ask the same again and again',
    { retry: 3 },
    async () => {
      const shared = new SharedExecutions();
      const { execute, count } = counter();
      const ask = (): Promise<ExecutionResult> => shared.execute(plan, 'same', signal, execute);
      await Promise.all(Array.from({ length: 8 }, ask));
      const again = [ask()];
      await nextTurns(3);
      const last = Array.from({ length: 7 }, ask);
      const results = await Promise.all([...again, ...last]);
      expect(count()).toBe(2);
      expect(new Set(results).size).toBe(1);
    },
  );

  it('begin without them when they do not come, and do not wait where few asked', async () => {
    const shared = new SharedExecutions();
    const { execute, count } = counter();
    const ask = (): Promise<ExecutionResult> => shared.execute(plan, 'same', signal, execute);
    await Promise.all(Array.from({ length: 8 }, ask));
    await expect(ask()).resolves.toMatchObject({ data: { number: 2 } });
    const early = ask();
    await nextTurns(3);
    await Promise.all([early, ask()]);
    expect(count()).toBe(4);
  });

  it('are forgotten when no one asks', async () => {
    const shared = new SharedExecutions();
    const { execute } = counter();
    const ask = (): Promise<ExecutionResult> => shared.execute(plan, 'same', signal, execute);
    await Promise.all(Array.from({ length: 8 }, ask));
    expect(shared.size).toBe(1);
    await until(() => shared.size === 0);
    await ask();
    await until(() => shared.size === 0);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { CircuitBreaker, type BreakerState } from './circuit-breaker.ts';

const rules = { failureShare: 0.5, minRequests: 10, windowMs: 10_000, sleepMs: 2_000 };

let now: number;
let changes: BreakerState[];
let breaker: CircuitBreaker;

beforeEach(() => {
  now = 5_000;
  changes = [];
  breaker = new CircuitBreaker(
    rules,
    (state) => changes.push(state),
    () => now,
  );
});

function fail(times: number): void {
  for (let time = 0; time < times; time += 1) breaker.failed('at-once');
}

function succeed(times: number): void {
  for (let time = 0; time < times; time += 1) breaker.succeeded('ordinary');
}

describe('F-02 a breaker', () => {
  it('stays closed below the number of calls that says anything', () => {
    fail(9);
    expect(breaker.admits()).toBe('ordinary');
  });

  it('opens when the share of failures is reached', () => {
    succeed(6);
    fail(5);
    expect(breaker.state).toBe('closed');
    fail(1);
    expect(breaker.state).toBe('open');
    expect(breaker.admits()).toBeUndefined();
  });

  it('forgets what is older than its window', () => {
    fail(9);
    now += 11_001;
    fail(9);
    expect(breaker.state).toBe('closed');
  });

  it('forgets bit by bit: half a window later the older half is still counted', () => {
    fail(6);
    now += 5_000;
    fail(4);
    expect(breaker.state).toBe('open');
  });

  it('lets one call in each sleep window try, however long the earlier ones hang', () => {
    fail(10);
    const admitted = Array.from({ length: 2_000 }, () => ((now += 5), breaker.admits())).filter(Boolean);
    expect(admitted).toHaveLength(20);
  });

  it('lets fewer try where each of them has to wait for a time-out', () => {
    for (let call = 0; call < 10; call += 1) breaker.failed('after-waiting');
    now += 1_999;
    expect(breaker.admits()).toBeUndefined();
    now += 1;
    expect(breaker.admits()).toBe('trial');
  });

  it('closes with the first success, and begins to count from zero', () => {
    fail(10);
    now += 500;
    expect(breaker.admits()).toBe('trial');
    breaker.succeeded('trial');
    expect(changes).toEqual(['open', 'closed']);
    fail(8);
    expect(breaker.admits()).toBe('ordinary');
  });

  it('takes nothing from calls that began before it opened', () => {
    const before = breaker.admits();
    fail(10);
    breaker.succeeded(before ?? 'trial');
    expect(breaker.state).toBe('open');
  });

  it('stays open when the trial fails', () => {
    fail(10);
    now += 500;
    breaker.admits();
    breaker.failed('at-once');
    expect(breaker.admits()).toBeUndefined();
    expect(changes).toEqual(['open']);
  });
});

import { describe, expect, it } from 'vitest';
import { evidenceOf } from './caller-evidence.ts';
import { CallerComparison, CallersInWindow, isSufficient } from './compare-callers.ts';
import { EstablishedOperations } from './established-operations.ts';
import { StickyCallers } from './sticky-caller.ts';
import { ANONYMOUS } from '../identity/caller.ts';

describe('The evidence against a canary', () => {
  it('is 0 where it has no more than its share of the callers with a failure', () => {
    expect(evidenceOf({ main: 0, canary: 0 }, 0.05)).toBe(0);
    expect(evidenceOf({ main: 100, canary: 0 }, 0.05)).toBe(0);
    expect(evidenceOf({ main: 95, canary: 5 }, 0.05)).toBe(0);
    expect(evidenceOf({ main: 0, canary: 9 }, 1)).toBe(0);
  });

  it('is never surer than the binomial tail, and just as sure where that may decide', () => {
    for (const share of [0.01, 0.05, 0.3, 0.5])
      for (const all of [5, 12, 60, 200, 700])
        for (let canary = 1; canary <= all; canary += 1) {
          const evidence = evidenceOf({ main: all - canary, canary }, share);
          const exact = -Math.log(tailOf(all, canary, share));
          expect(evidence).toBeLessThanOrEqual(exact + 1e-6);
          if (exact > 12 && exact < 30) expect(evidence).toBeGreaterThan(exact - 1e-6);
        }
  });
});

/** P(X ≥ least), X binomial. */
function tailOf(all: number, least: number, share: number): number {
  let [tail, logOfTerm] = [0, all * Math.log(1 - share)];
  for (let hits = 0; hits <= all; hits += 1) {
    if (hits >= least) tail += Math.exp(logOfTerm);
    logOfTerm += Math.log((all - hits) / (hits + 1)) + Math.log(share / (1 - share));
  }
  return tail;
}

describe('Callers in a window', () => {
  it('count once, whatever they send, and leave when the window has passed', () => {
    const window = new CallersInWindow(60);
    for (let second = 0; second < 30; second += 1) window.add('canary', 7, second);
    window.add('main', 8, 30);
    expect(window.at(59)).toEqual({ main: 1, canary: 1 });
    expect(window.at(60)).toEqual({ main: 1, canary: 0 });
    expect(window.at(90)).toEqual({ main: 0, canary: 0 });
  });

  it('are bounded: beyond 50,000 no more are counted', () => {
    const window = new CallersInWindow(60);
    for (let caller = 0; caller < 50_010; caller += 1) window.add('main', caller, 0);
    expect(window.at(0)).toEqual({ main: 50_000, canary: 0 });
  });
});

/** Operations that the operator has listed. */
function listing(...operations: readonly number[]): EstablishedOperations {
  const established = new EstablishedOperations();
  for (const operation of operations) established.list(operation);
  return established;
}

/** So many callers of the canary and of the main version have met a failure, each in an operation of its own. */
function comparisonOf(canary: number, main: number, begunAt?: number): CallerComparison {
  const comparison = new CallerComparison({ share: 0.05, established: listing(), begunAt });
  for (let caller = 0; caller < canary; caller += 1) comparison.add('canary', caller, 0, caller);
  for (let caller = 0; caller < main; caller += 1) comparison.add('main', 1_000 + caller, 0, 1_000 + caller);
  return comparison;
}

/** How often the best rule stops a good canary that stops this part of the bad ones: failures are Poisson, their means known. */
function leastFalseAlarms({ usual, bad, power }: Record<'usual' | 'bad' | 'power', number>): number {
  let [falseAlarms, found] = [0, 0];
  for (let failures = 60; failures >= 0; failures -= 1) {
    const part = Math.min(1, (power - found) / poissonAt(failures, bad)); // by chance at the last
    falseAlarms += part * poissonAt(failures, usual);
    found += part * poissonAt(failures, bad);
    if (part < 1) break;
  }
  return falseAlarms;
}

function poissonAt(count: number, mean: number): number {
  let probability = Math.exp(-mean);
  for (let index = 1; index <= count; index += 1) probability *= mean / index;
  return probability;
}

describe('A comparison', () => {
  it('needs five callers of the canary', () => {
    const comparison = new CallerComparison({ share: 0.01, established: listing(1, 2) });
    for (const caller of [1, 2, 3, 4]) comparison.add('canary', caller, 0, 1);
    expect(isSufficient(comparison.strongestAt(0))).toBe(false);
    comparison.add('canary', 5, 0, 2);
    expect(isSufficient(comparison.strongestAt(0))).toBe(true);
    expect(comparison.strongestAt(0)).toMatchObject({
      main: 0,
      canary: 5,
      windowS: 60,
      isOfOperation: false,
    });
  });

  it('finds what fails in one operation among usual failures of others, and asks more of it the more it looks at', () => {
    const comparison = new CallerComparison({ share: 0.05, established: listing(0, 1, 2, 3, 4, 5, 6, 7, 9) });
    for (let caller = 0; caller < 40; caller += 1) comparison.add('main', caller, 0, caller % 8);
    for (let caller = 100; caller < 106; caller += 1) comparison.add('canary', caller, 0, 9);
    const { evidence, ...verdict } = comparison.strongestAt(0);
    expect(verdict).toEqual({ main: 0, canary: 6, windowS: 60, isOfOperation: true });
    expect(evidence).toBeCloseTo(6 * Math.log(20) - Math.log(9), 9);
  });

  it('finds within seconds a canary that is slow for all of its callers, although a moment ago every caller had a slow response', () => {
    const comparison = new CallerComparison({ share: 0.3, established: listing() });
    const isWorseAt = (second: number): boolean => {
      for (let caller = 0; caller < 120; caller += 1)
        if (caller < 36) comparison.add('canary', caller, second, 1);
        else if (second === 0) comparison.add('main', caller, second, 1);
      return comparison.judgeAt(second).isWorse;
    };
    expect(Array.from({ length: 40 }, (_, second) => second).find(isWorseAt)).toBe(11);
  });

  it('is not decided by one broken account that tries again and again', () => {
    const comparison = new CallerComparison({ share: 0.05, established: listing(1) });
    for (let second = 0; second < 3_600; second += 1)
      for (let time = 0; time < 10; time += 1) comparison.add('canary', 1, second, 1);
    expect(isSufficient(comparison.strongestAt(3_600))).toBe(false);
  });

  it('M5: is not decided by five callers who have a text of their own fail, which no one sends to the main version', () => {
    const established = new EstablishedOperations();
    const comparison = new CallerComparison({ share: 0.05, established });
    for (let caller = 0; caller < 200; caller += 1) comparison.add('main', caller, 0, caller % 40);
    for (let caller = 1_000; caller < 1_008; caller += 1) comparison.add('canary', caller, 0, 99);
    expect(isSufficient(comparison.strongestAt(0))).toBe(false);
    for (const caller of [2_000, 2_001, 2_002, 2_003]) established.send(99, caller, 0);
    expect(isSufficient(comparison.strongestAt(0))).toBe(false);
    established.send(99, 2_004, 0);
    expect(comparison.strongestAt(0)).toMatchObject({ main: 0, canary: 8, isOfOperation: true });
    expect(isSufficient(comparison.strongestAt(0))).toBe(true);
    expect(isSufficient(comparison.strongestAt(59))).toBe(true);
    expect(established.has(99, 600)).toBe(false);
  });

  it('M5: finds what fails in one operation although 5,000 other texts have failed before', () => {
    const comparison = new CallerComparison({ share: 0.05, established: listing(9) });
    for (let text = 100; text < 5_100; text += 1) comparison.add('main', 7, 0, text);
    for (let caller = 100; caller < 300; caller += 1) comparison.add('main', caller, 0, caller % 2 ? 50 : 51);
    for (let caller = 1_000; caller < 1_008; caller += 1) comparison.add('canary', caller, 0, 9);
    expect(comparison.strongestAt(0)).toMatchObject({ main: 0, canary: 8, isOfOperation: true });
  });

  it('M5: hears of an operation that many send although one client has sent 5,000 texts before', () => {
    const established = new EstablishedOperations();
    for (let text = 100; text < 5_100; text += 1) established.send(text, 7, 0);
    for (let caller = 0; caller < 5; caller += 1) established.send(9, caller, 1);
    for (let text = 100; text < 5_100; text += 1) established.send(text, 7, 2);
    expect(established.has(9, 2)).toBe(true);
    expect(established.has(100, 2)).toBe(false);
    established.forget(601);
    expect(established.has(9, 601)).toBe(false);
  });

  it('M4: counts no more than 50,000 callers of operations in a window, and the others among all', () => {
    const comparison = new CallerComparison({ share: 0.5, established: listing(20) });
    for (let caller = 0; caller < 4_000; caller += 1)
      for (let operation = 0; operation < 20; operation += 1) comparison.add('main', caller, 0, operation);
    for (let caller = 4_000; caller < 4_100; caller += 1) comparison.add('canary', caller, 0, 20);
    expect(comparison.strongestAt(0)).toMatchObject({ main: 4_000, canary: 100, isOfOperation: false });
  });

  it('M4: counts the addresses of one IPv6 network, which one customer has, as one caller', () => {
    const callers = new StickyCallers('key');
    const hashOf = (address: string): number => callers.hashOf(ANONYMOUS, address);
    expect(hashOf('2001:db8:1:2:aaaa::1')).toBe(hashOf('2001:db8:1:2:bbbb::2'));
    expect(hashOf('2001:db8:1:2::1')).not.toBe(hashOf('2001:db8:1:3::1'));
    expect(hashOf('::ffff:192.0.2.1')).toBe(hashOf('192.0.2.1'));
    expect(hashOf('192.0.2.1')).not.toBe(hashOf('192.0.2.2'));
  });

  it('is decided by less evidence 10 and 15 s after the canary began, and at no other time', () => {
    const { evidence } = comparisonOf(8, 28).strongestAt(15);
    expect(evidence).toBeGreaterThan(7);
    expect(evidence).toBeLessThan(9.3);
    const early = comparisonOf(8, 28, 0);
    const worseAt = (comparison: CallerComparison): number[] =>
      Array.from({ length: 40 }, (_, second) => second).filter(
        (second) => comparison.judgeAt(second).isWorse,
      );
    expect(worseAt(early)).toEqual([15]);
    expect(worseAt(comparisonOf(9, 24, 0))).toEqual([10, 15]);
    expect(worseAt(comparisonOf(7, 28, 0))).toEqual([]);
    expect(worseAt(comparisonOf(9, 24))).toEqual([]);
    expect(worseAt(comparisonOf(4, 0, 0))).toEqual([]);
  });

  it('finds after 15 s what no rule finds that may stop at any time and is silent for 100 hours', () => {
    // Of 10 requests a second on the canary's side 0.9 fail instead of 0.1, and a rule knows both rates. Neyman and Pearson: none
    // that finds 95 % of the bad after 15 s stops fewer of the good than the one that counts failures.
    const least = leastFalseAlarms({ usual: 15 * 0.1, bad: 15 * 0.9, power: 0.95 });
    expect(least).toBeGreaterThan(1.3e-4);
    // A canary that may turn bad at any moment has a new stretch of 15 s every 15 s.
    expect(least * ((100 * 3_600) / 15)).toBeGreaterThan(3);
    // One that is bad from its beginning has one stretch.
    expect(least).toBeLessThan(Math.exp(-7));
  });
});

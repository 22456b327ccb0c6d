import { describe, expect, it } from 'vitest';
import { createBreakingClient } from './breaking-client.ts';
import { CircuitBreaker, type CallOutcome } from './circuit-breaker.ts';
import { SubgraphFailure, type SubgraphFailureKind } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest } from './subgraph-request.ts';

interface Bench {
  readonly breaker: CircuitBreaker;
  advance(ms: number): void;
  /** Makes calls that end so. @returns how many were let through */
  call(count: number, outcome: CallOutcome): number;
}

function createBench(): Bench {
  let now = 0;
  const breaker = new CircuitBreaker({ minCalls: 10, windowMs: 1_000, pauseMs: 2_000 }, () => now);
  return {
    breaker,
    advance: (ms) => void (now += ms),
    call(count, outcome) {
      let through = 0;
      for (let index = 0; index < count; index += 1) {
        const kind = breaker.enter();
        if (!kind) continue;
        through += 1;
        breaker.leave(kind, outcome);
      }
      return through;
    },
  };
}

describe('F-02 a circuit breaker', () => {
  it('opens when half of the calls fail, and not before enough were made', () => {
    const { call } = createBench();
    expect(call(5, 'succeeded')).toBe(5);
    expect(call(4, 'failed')).toBe(4);
    expect(call(100, 'failed')).toBe(1);
  });

  it('stays closed while most calls succeed', () => {
    const { call } = createBench();
    for (let round = 0; round < 50; round += 1) {
      expect(call(2, 'succeeded')).toBe(2);
      expect(call(1, 'failed')).toBe(1);
    }
  });

  it('forgets failures of long ago', () => {
    const { call, advance } = createBench();
    for (let round = 0; round < 10; round += 1) {
      expect(call(5, 'failed')).toBe(5);
      advance(1_001);
    }
  });

  it('pauses for as long as is configured after time-outs', () => {
    const { breaker, call, advance } = createBench();
    call(10, 'timed-out');
    advance(1_999);
    expect(breaker.enter()).toBeUndefined();
    advance(1);
    expect(breaker.enter()).toBe('trial');
  });

  it('lets one call through after a short pause where calls fail at once, and closes when it succeeds', () => {
    const { breaker, call, advance } = createBench();
    call(10, 'failed');
    advance(499);
    expect(breaker.enter()).toBeUndefined();
    advance(1);
    expect(breaker.enter()).toBe('trial');
    expect(breaker.enter()).toBeUndefined();
    breaker.leave('trial', 'succeeded');
    expect(call(100, 'succeeded')).toBe(100);
  });

  it('pauses again when that call fails, and tries another at once when it was given up', () => {
    const { breaker, call, advance } = createBench();
    call(10, 'failed');
    advance(500);
    expect(call(5, 'failed')).toBe(1);
    advance(499);
    expect(breaker.enter()).toBeUndefined();
    advance(1);
    expect(breaker.enter()).toBe('trial');
    breaker.leave('trial', 'unknown');
    expect(breaker.enter()).toBe('trial');
  });

  it('takes nothing from calls that began before it opened', () => {
    const { breaker, call, advance } = createBench();
    for (const outcome of ['succeeded', 'failed'] as const) {
      expect(breaker.enter()).toBe(outcome === 'succeeded' ? 'ordinary' : 'trial');
      call(10, 'failed');
      breaker.leave('ordinary', outcome);
      expect(breaker.enter()).toBeUndefined();
      advance(500);
    }
  });
});

describe('F-02 a client with circuit breakers', () => {
  const request: SubgraphRequest = {
    subgraph: 'a',
    url: 'http://a.test/',
    body: '{}',
    headers: {},
    isMutation: false,
    signal: new AbortController().signal,
  };

  async function callsBeforeItOpens(outcome: number | SubgraphFailureKind | Error): Promise<number> {
    let calls = 0;
    const inner: SubgraphClient = {
      send() {
        calls += 1;
        if (typeof outcome === 'number') return Promise.resolve({ status: outcome, body: Buffer.from('{}') });
        return Promise.reject(
          outcome instanceof Error ? outcome : new SubgraphFailure('a', outcome, 'It failed.'),
        );
      },
      close: () => Promise.resolve(),
    };
    const client = createBreakingClient(inner, { minCalls: 5 });
    for (let index = 0; index < 20; index += 1) await client.send(request).catch(() => undefined);
    expect(
      await client.send({ ...request, subgraph: 'b' }).catch((error: unknown) => error),
    ).not.toMatchObject({
      kind: 'unavailable',
    });
    return calls - 1;
  }

  it.each<[number | SubgraphFailureKind]>([['timeout'], ['unreachable'], [500], [503]])(
    'opens for one subgraph alone on %s',
    async (outcome) => {
      expect(await callsBeforeItOpens(outcome)).toBe(5);
    },
  );

  it.each<[number | SubgraphFailureKind]>([[200], [400], ['too-large'], ['redirect']])(
    'stays closed on %s',
    async (outcome) => {
      expect(await callsBeforeItOpens(outcome)).toBe(20);
    },
  );

  it('stays closed when clients leave', async () => {
    expect(await callsBeforeItOpens(new Error('left'))).toBe(20);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { SubgraphFailure, type SubgraphFailureKind } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest, SubgraphResponse } from './subgraph-request.ts';
import { DeadlineSignal } from '../abort/deadline-signal.ts';
import { createShapingClient } from './shaping-client.ts';
import { compileTrafficRules } from './traffic-states.ts';
import { createTrafficStates, type TrafficObserver } from './traffic-states.ts';
import { fillIn } from '../settings/fill-in.ts';
import { settingTable, type GatewaySettings } from '../settings/settings.ts';

type Scripted = number | SubgraphFailureKind | Promise<SubgraphResponse>;

interface ScriptedClient {
  readonly client: SubgraphClient;
  /** The calls that reached the subgraph. */
  readonly sent: SubgraphRequest[];
  readonly observer: { [Name in keyof TrafficObserver]: ReturnType<typeof vi.fn> };
}

function createClient(script: readonly Scripted[], traffic: GatewaySettings['traffic'] = {}): ScriptedClient {
  const sent: SubgraphRequest[] = [];
  const inner: SubgraphClient = {
    async send(request) {
      const outcome = script[sent.push(request) - 1];
      if (typeof outcome === 'string') throw new SubgraphFailure('a', outcome, `It is ${outcome}.`);
      if (typeof outcome === 'object') return outcome;
      return { status: outcome ?? 200, body: Buffer.from('{}') };
    },
    close: () => Promise.resolve(),
  };
  const observer = { breakerChanged: vi.fn(), requestEnded: vi.fn(), retried: vi.fn() };
  const rulesOf = compileTrafficRules(fillIn(settingTable, { traffic }).traffic);
  return {
    client: createShapingClient(inner, { rulesOf, states: createTrafficStates(observer) }),
    sent,
    observer,
  };
}

function requestTo(subgraph: string, isMutation = false): SubgraphRequest {
  const { signal } = new AbortController();
  return { subgraph, url: 'http://a.test/', body: '{}', headers: {}, isMutation, signal };
}

interface PendingResponse {
  readonly promise: Promise<SubgraphResponse>;
  readonly resolve: (response: SubgraphResponse) => void;
  readonly reject: (error: Error) => void;
}

function pendingResponse(): PendingResponse {
  let settle: Pick<PendingResponse, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<SubgraphResponse>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...(settle as unknown as Pick<PendingResponse, 'resolve' | 'reject'>) }; // a promise's executor runs at once
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('F-01 a call that failed', () => {
  it.each<[Scripted]>([['unreachable'], [502], [503], [504]])('with %s is repeated once', async (outcome) => {
    const { client, sent } = createClient([outcome, 200]);
    expect((await client.send(requestTo('a'))).status).toBe(200);
    expect(sent).toHaveLength(2);
  });

  it('twice is not repeated again', async () => {
    const { client, sent } = createClient(['unreachable', 'unreachable', 200]);
    await expect(client.send(requestTo('a'))).rejects.toThrow('It is unreachable.');
    expect(sent).toHaveLength(2);
  });

  it.each<[Scripted]>([['timeout'], ['too-large'], ['redirect'], [500], [404]])(
    'with %s is not repeated',
    async (outcome) => {
      const { client, sent } = createClient([outcome, 200]);
      await client.send(requestTo('a')).catch(() => undefined);
      expect(sent).toHaveLength(1);
    },
  );

  it('is not repeated when it was a mutation', async () => {
    const { client, sent } = createClient(['unreachable', 200]);
    await expect(client.send(requestTo('a', true))).rejects.toThrow('It is unreachable.');
    expect(sent).toHaveLength(1);
  });

  it('is not repeated for a client that left', async () => {
    const { client, sent } = createClient(['unreachable', 200]);
    const controller = new AbortController();
    const result = client.send({ ...requestTo('a'), signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(result).rejects.toThrow('left');
    expect(sent).toHaveLength(1);
  });

  it('is repeated within a budget that calls earn', async () => {
    const script = times<Scripted>(1_000, 'unreachable');
    const { client, sent } = createClient(script, {
      retries: { reserve: 5, perRequest: 0.1 },
      breaker: false,
    });
    for (let call = 0; call < 100; call += 1) await client.send(requestTo('a')).catch(() => undefined);
    expect(sent.length).toBeGreaterThanOrEqual(110);
    expect(sent.length).toBeLessThanOrEqual(116);
  });
});

describe('F-02 a subgraph that keeps failing', () => {
  it.each<[Scripted]>([['timeout'], ['unreachable'], [500], [503]])(
    'with %s is left alone, at no cost',
    async (outcome) => {
      const { client, sent, observer } = createClient(times(100, outcome), {
        breaker: { minRequests: 10 },
        retries: false,
      });
      for (let call = 0; call < 50; call += 1) await client.send(requestTo('a')).catch(() => undefined);
      expect(sent).toHaveLength(10);
      await expect(client.send(requestTo('a'))).rejects.toThrow(/^Circuit breaker open for subgraph "a"/);
      expect(observer.breakerChanged.mock.calls).toEqual([['a', 'open']]);
    },
  );

  it.each<[Scripted]>([[400], [404], ['too-large'], ['encoding'], ['redirect'], ['unavailable']])(
    'is not what answers %s',
    async (outcome) => {
      const { client, sent } = createClient(times(100, outcome), { breaker: { minRequests: 10 } });
      for (let call = 0; call < 50; call += 1) await client.send(requestTo('a')).catch(() => undefined);
      expect(sent).toHaveLength(50);
    },
  );

  it('is asked again after the sleep window, and is back with the first response', async () => {
    const settings = { breaker: { minRequests: 2, sleepMs: 1 }, retries: false } as const;
    const { client, observer } = createClient(['timeout', 'timeout'], settings);
    for (let call = 0; call < 2; call += 1) await client.send(requestTo('a')).catch(() => undefined);
    await pause(5);
    expect((await client.send(requestTo('a'))).status).toBe(200);
    expect(observer.breakerChanged.mock.calls).toEqual([
      ['a', 'open'],
      ['a', 'closed'],
    ]);
  });

  it('says nothing about the others', async () => {
    const { client } = createClient(times(2, 'timeout'), { breaker: { minRequests: 2 }, retries: false });
    for (let call = 0; call < 2; call += 1) await client.send(requestTo('a')).catch(() => undefined);
    expect((await client.send(requestTo('b'))).status).toBe(200);
  });
});

describe('Calls of one subgraph at a time', () => {
  it('are bounded: the next ones wait in order, and what is more fails at once', async () => {
    const responses = times(3, undefined).map(pendingResponse);
    const { client, sent } = createClient(
      responses.map(({ promise }) => promise),
      { concurrency: { requests: 1, queue: 1 } },
    );
    const first = client.send(requestTo('a'));
    const second = client.send(requestTo('a'));
    await expect(client.send(requestTo('a'))).rejects.toThrow(
      'Concurrency limit of this caller reached for subgraph "a". Retry later.',
    );
    expect(sent).toHaveLength(1);
    responses[0]?.resolve({ status: 200, body: Buffer.from('1') });
    expect((await first).body.toString()).toBe('1');
    responses[1]?.resolve({ status: 200, body: Buffer.from('2') });
    expect((await second).body.toString()).toBe('2');
  });

  it('are waited for no longer than a call may take', async () => {
    const { promise } = pendingResponse();
    const { client, sent } = createClient([promise], { concurrency: { requests: 1 }, timeoutMs: 20 });
    void client.send(requestTo('a'));
    await expect(client.send(requestTo('a'))).rejects.toThrow(
      'No free slot before the deadline for subgraph',
    );
    expect(sent).toHaveLength(1);
  });

  it('are not waited for by a client that has left', async () => {
    const { promise } = pendingResponse();
    const { client } = createClient([promise], { concurrency: { requests: 1 } });
    void client.send(requestTo('a'));
    const controller = new AbortController();
    const waiting = client.send({ ...requestTo('a'), signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
  });
});

describe('The time for a call', () => {
  it('is that of the rules of the subgraph, else that for all', async () => {
    const { client, sent } = createClient([], { timeoutMs: 700, subgraphs: { b: { timeoutMs: 300 } } });
    await client.send(requestTo('a'));
    await client.send(requestTo('b'));
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([700, 300]);
  });

  it('is what is left of the time of the request, where that is less', async () => {
    const { client, sent } = createClient([]);
    await client.send({ ...requestTo('a'), signal: new DeadlineSignal(400) });
    expect(sent[0]?.timeoutMs).toBeLessThanOrEqual(400);
    expect(sent[0]?.timeoutMs).toBeGreaterThan(0);
  });
});

describe('A query that takes long', () => {
  const slow = (): Promise<SubgraphResponse> => pendingResponse().promise;

  it('is sent a second time where hedging is on, and the first response counts', async () => {
    const { client, sent, observer } = createClient([slow(), 200], { hedging: { afterMs: 5 } });
    expect((await client.send(requestTo('a'))).status).toBe(200);
    expect(sent).toHaveLength(2);
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(observer.retried.mock.calls).toEqual([['a', 'hedge']]);
  });

  it('is not sent twice when it is a mutation, or beyond the budget', async () => {
    const { client, sent } = createClient([slow(), slow(), slow()], {
      hedging: { afterMs: 1 },
      retries: { reserve: 0 },
    });
    void client.send(requestTo('a', true));
    void client.send(requestTo('a'));
    await pause(20);
    expect(sent).toHaveLength(2);
  });

  it('waits for the second response when the first fails after that was sent', async () => {
    const { promise: first, reject } = pendingResponse();
    const { promise: second, resolve } = pendingResponse();
    const { client, sent } = createClient([first, second], { hedging: { afterMs: 1 } });
    const result = client.send(requestTo('a'));
    while (sent.length < 2) await pause(1);
    reject(new SubgraphFailure('a', 'timeout', 'It is timeout.'));
    resolve({ status: 200, body: Buffer.from('late') });
    expect((await result).body.toString()).toBe('late');
  });
});

import { describe, expect, it } from 'vitest';
import { createRetryingClient, type RetryOptions } from './retrying-client.ts';
import { SubgraphFailure, type SubgraphFailureKind } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest, SubgraphResponse } from './subgraph-request.ts';

type Scripted = number | SubgraphFailureKind;

function createClient(
  script: readonly Scripted[],
  options?: RetryOptions,
): { client: SubgraphClient; asked: () => number } {
  let asked = 0;
  const answer = (outcome: Scripted | undefined): SubgraphResponse => {
    if (typeof outcome === 'string') throw new SubgraphFailure('a', outcome, `It is ${outcome}.`);
    return { status: outcome ?? 200, body: Buffer.from('{}') };
  };
  const inner: SubgraphClient = {
    send: async () => answer(script[asked++]),
    close: () => Promise.resolve(),
  };
  return { client: createRetryingClient(inner, options), asked: () => asked };
}

function requestTo(subgraph: string, isMutation = false): SubgraphRequest {
  const { signal } = new AbortController();
  return { subgraph, url: 'http://a.test/', body: '{}', headers: {}, isMutation, signal };
}

describe('F-01 a call that failed', () => {
  it.each<[Scripted]>([['unreachable'], [502], [503], [504]])('with %s is repeated once', async (outcome) => {
    const { client, asked } = createClient([outcome, 200]);
    expect((await client.send(requestTo('a'))).status).toBe(200);
    expect(asked()).toBe(2);
  });

  it('twice is not repeated again', async () => {
    const { client, asked } = createClient(['unreachable', 'unreachable', 200]);
    await expect(client.send(requestTo('a'))).rejects.toThrow('It is unreachable.');
    expect(asked()).toBe(2);
  });

  it.each<[Scripted]>([['timeout'], ['too-large'], ['redirect'], [500], [404]])(
    'with %s is not repeated',
    async (outcome) => {
      const { client, asked } = createClient([outcome, 200]);
      await client.send(requestTo('a')).catch(() => undefined);
      expect(asked()).toBe(1);
    },
  );

  it('is not repeated when it was a mutation', async () => {
    const { client, asked } = createClient(['unreachable', 200]);
    await expect(client.send(requestTo('a', true))).rejects.toThrow('It is unreachable.');
    expect(asked()).toBe(1);
  });

  it('is not repeated for a client that left', async () => {
    const { client, asked } = createClient(['unreachable', 200]);
    const controller = new AbortController();
    const sent = client.send({ ...requestTo('a'), signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(sent).rejects.toThrow('left');
    expect(asked()).toBe(1);
  });

  it('is repeated within a budget that calls earn', async () => {
    const script = Array.from({ length: 1000 }, (): Scripted => 'unreachable');
    const { client, asked } = createClient(script, { reserve: 5, perCall: 0.1 });
    for (let call = 0; call < 100; call += 1) await client.send(requestTo('a')).catch(() => undefined);
    expect(asked()).toBeGreaterThanOrEqual(110);
    expect(asked()).toBeLessThanOrEqual(116);
  });
});

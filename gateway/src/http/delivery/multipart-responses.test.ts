import { until } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { OLD, NEW, stageMagazine } from '../../testing/magazine-stage.ts';
import { readMultipart } from '../../testing/multipart-reader.ts';
import { readGatewayResponse, startTestGateway } from '../../testing/test-gateway.ts';

const stage = stageMagazine();
const { open, send } = stage;

describe('Which form a response has', () => {
  const text = '{ post { title ...@defer { rating } } }';
  const whole = { data: { post: { title: 'First', rating: 5 } } };

  it.each([
    ['nothing', undefined],
    ['JSON', 'application/json'],
    ['anything', '*/*'],
    ['JSON rather than parts', 'application/json, multipart/mixed;q=0.5'],
    ['a dialect that is not known', 'multipart/mixed;deferSpec=20991231, application/json'],
    ['parts of subscriptions', 'multipart/mixed;subscriptionSpec=1.0, application/json'],
  ])('is whole for a client that accepts %s', async (_what, accept) => {
    const result = await readGatewayResponse(await send(text, accept === undefined ? {} : { accept }));
    expect([result.status, result.body]).toEqual([200, whole]);
  });

  it.each([
    ['multipart/mixed', 'deferSpec=20220824'],
    ['application/json, multipart/mixed', 'deferSpec=20220824'],
    ['multipart/mixed; deferSpec="20220824"', 'deferSpec=20220824'],
    ['multipart/mixed;incrementalSpec=v0.2;q=0.9, multipart/mixed;q=0.8', 'incrementalSpec=v0.2'],
  ])('for %s is in parts of %s', async (accept, parameter) => {
    const parts = await open(text, accept);
    expect(parts.headers.get('content-type')).toContain(parameter);
    expect(await parts.next()).toMatchObject({ hasNext: true });
    await parts.rest();
  });

  it('is one part for a client that accepts nothing else', async () => {
    const parts = await open('{ post { title } }', 'multipart/mixed;deferSpec=20220824');
    expect(await parts.rest()).toEqual([{ data: { post: { title: 'First' } }, hasNext: false }]);
    const failed = await open('{ nothing }', 'multipart/mixed;incrementalSpec=v0.2');
    expect(await failed.rest()).toMatchObject([
      { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }], hasNext: false },
    ]);
  });

  it('is whole in a batch', async () => {
    const { bodies } = await stage.gateway.post([{ query: text }, { query: text }], { accept: OLD });
    expect(bodies).toEqual([whole, whole]);
  });

  it('may be in parts for a GET', async () => {
    const response = await fetch(`${stage.gateway.url}/graphql?query=${encodeURIComponent(text)}`, {
      headers: { accept: OLD, 'apollo-require-preflight': '1' },
    });
    expect(await readMultipart(response).rest()).toHaveLength(2);
  });

  it('is not stored by caches or held back by proxies', async () => {
    const parts = await open(text, OLD, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(Object.fromEntries(parts.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
    });
    expect(parts.headers.get('content-encoding')).toBeNull();
    expect(parts.headers.get('x-request-id')).toMatch(/./);
    await parts.rest();
  });
});

describe('What is rejected', () => {
  it.each([
    ['mutation { ...@defer { publish { id } } }', /Fields of Mutation can't be deferred/],
    ['{ post { ...@defer(label: "A") { id } ...@defer(label: "A") { title } } }', /more than one @defer/],
    ['query ($l: String!) { post { ...@defer(label: $l) { id } } }', /has to be a text/],
  ])('%s', async (query, message) => {
    const result = await readGatewayResponse(await send(query, { accept: OLD }));
    expect(result.body.errors?.[0]).toMatchObject({
      message: expect.stringMatching(message),
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });

  it('is more deferred fragments than a plan may have', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `...@defer { f${index}: id }`).join(' ');
    const guarded = await startTestGateway({
      subgraphs: stage.graph.all,
      settings: 'limits: { directives: 1000, aliases: 1000 }',
    });
    try {
      const result = await readGatewayResponse(
        await send(`{ post { ${many} } }`, { accept: OLD, to: guarded }),
      );
      expect(result.body.errors?.[0]?.extensions).toMatchObject({
        code: 'QUERY_TOO_COMPLEX',
        limit: { name: 'defers', maximum: 100, actual: 101 },
      });
    } finally {
      await guarded.close();
    }
  });

  it('counts what is deferred in depth and cost', async () => {
    const guarded = await startTestGateway({
      subgraphs: stage.graph.all,
      settings: 'limits: { depth: 3, cost: 3 }',
    });
    try {
      const deep = await readGatewayResponse(
        await send('{ post { ...@defer { reviews { by { fame } } } } }', { accept: OLD, to: guarded }),
      );
      expect([deep.status, deep.body.errors?.[0]?.extensions]).toMatchObject([
        400,
        { limit: { name: 'depth' } },
      ]);
      const dear = await readGatewayResponse(
        await send('{ post { ...@defer { reviews { text } rating views author { id } } } }', {
          accept: OLD,
          to: guarded,
        }),
      );
      expect([dear.status, dear.body.errors?.[0]?.extensions]).toMatchObject([
        400,
        { limit: { name: 'cost' } },
      ]);
    } finally {
      await guarded.close();
    }
  });
});

describe('A stream of parts', () => {
  it('ends with its client: the subgraphs are no longer asked', async () => {
    stage.graph.reviewsGate.close();
    stage.graph.reviews.forget();
    const before = stage.graph.reviews.aborted();
    const client = new AbortController();
    const parts = await open('{ post { title ...@defer { rating } } }', OLD, { signal: client.signal });
    expect(await parts.next()).toMatchObject({ hasNext: true });
    await until(() => stage.graph.reviews.received.length === 1);
    client.abort();
    await until(() => stage.graph.reviews.aborted() >= before + 1);
  });

  it('is given up with its client before the first part, too', async () => {
    stage.graph.statsGate.close();
    stage.graph.stats.forget();
    const before = stage.graph.stats.aborted();
    const client = new AbortController();
    const sent = send('{ post { views ...@defer { title } } }', { accept: OLD, signal: client.signal });
    await until(() => stage.graph.stats.received.length === 1);
    client.abort();
    await expect(sent).rejects.toThrow();
    await until(() => stage.graph.stats.aborted() >= before + 1);
  });

  it('says that it goes on while there is nothing to send', async () => {
    const patient = await startTestGateway({
      subgraphs: stage.graph.all,
      settings: 'timeouts: { heartbeatMs: 60 }',
    });
    try {
      for (const accept of [OLD, NEW]) {
        stage.graph.reviewsGate.close();
        const parts = await open('{ post { title ...@defer { rating } } }', accept, { to: patient });
        expect(await parts.next()).toMatchObject({ data: { post: { title: 'First' } } });
        for (let heartbeats = 0; heartbeats < 4; heartbeats += 1)
          expect(await parts.next()).toEqual({ hasNext: true });
        stage.graph.reviewsGate.open();
        const rest = (await parts.rest()).filter((part) => JSON.stringify(part) !== '{"hasNext":true}');
        expect(rest).toMatchObject([{ incremental: [{ data: { rating: 5 } }], hasNext: false }]);
      }
    } finally {
      await patient.close();
    }
  });

  it('ends in order when what is to come is too large', async () => {
    const small = await startTestGateway({
      subgraphs: stage.graph.all,
      settings: 'limits: { responseCharacters: 500 }',
    });
    try {
      const parts = await open('{ post { title ...@defer { summary } } }', NEW, { to: small });
      expect(await parts.next()).toMatchObject({ data: { post: { title: 'First' } }, hasNext: true });
      expect(await parts.rest()).toMatchObject([
        {
          completed: [{ id: '0', errors: [{ extensions: { code: 'RESPONSE_TOO_LARGE' } }] }],
          hasNext: false,
        },
      ]);
    } finally {
      await small.close();
    }
  });

  it('goes on without a subgraph that takes too long', async () => {
    const hasty = await startTestGateway({
      subgraphs: stage.graph.all,
      settings: 'timeouts: { subgraphMs: 2000 }',
    });
    try {
      stage.graph.reviewsGate.close();
      const parts = await open('{ post { title ...@defer { rating } ...@defer { views } } }', OLD, {
        to: hasty,
      });
      await parts.next();
      const rest = JSON.stringify(await parts.rest());
      expect(rest).toContain('{"views":100}');
      expect(rest).toContain('"data":{"rating":null},"errors":[{');
    } finally {
      await hasty.close();
    }
  });
});

import { startTestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTokenIssuer, type TokenIssuer } from '../../testing/token-issuer.ts';
import { stageLibrary } from '../../testing/library-stage.ts';

const library = stageLibrary();

let issuer: TokenIssuer;

beforeAll(async () => {
  issuer = await startTokenIssuer();
});
afterAll(() => issuer.close());

const PUBLIC = { query: '{ public }' };

describe('Rates', () => {
  const statuses = async (count: number, send: () => Promise<{ status: number }>): Promise<number[]> => {
    const all = [];
    for (let index = 0; index < count; index += 1) all.push((await send()).status);
    return all;
  };

  it('hold for an address: 429 with Retry-After, and no subgraph is asked', async () => {
    const gateway = await library.start({
      settings: 'rateLimits: { perAddress: { operations: 3, windowS: 60 } }',
    });
    expect(await statuses(3, () => gateway.post(PUBLIC))).toEqual([200, 200, 200]);
    library.graph.forget();
    const result = await gateway.post(PUBLIC);
    expect(result.status).toBe(429);
    expect(Number(result.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(result.body.errors?.[0]?.extensions['code']).toBe('RATE_LIMITED');
    expect(library.graph.requests()).toBe(0);
  });

  it('G3: leave a caller so many milliseconds of planning: 429 with Retry-After and a sentence, others go on', async () => {
    const gateway = await library.start({
      environment: issuer.environment,
      settings: 'planning: { callerMs: 60, windowS: 3600 }',
    });
    const headersOf = async (sub: string): Promise<Readonly<Record<string, string>>> => ({
      authorization: `Bearer ${await issuer.sign({ sub })}`,
    });
    const [ada, bob] = [await headersOf('ada'), await headersOf('bob')];
    const known = { query: 'query Known { public }' };
    // Sent once it would make room for the others.
    for (let use = 0; use < 2; use += 1) expect((await gateway.post(known, ada)).status).toBe(200);
    const next = async (number = 0): Promise<Awaited<ReturnType<typeof gateway.post>>> => {
      const result = await gateway.post({ query: `query Next${number} { public }` }, ada);
      return result.status === 200 && number < 1_000 ? next(number + 1) : result;
    };
    const result = await next();
    expect(result.status).toBe(429);
    expect(Number(result.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(result.body.errors?.[0]).toMatchObject({
      message: 'Too much time was spent on planning new operations. Retry later.',
      extensions: { code: 'RATE_LIMITED' },
    });
    expect((await gateway.post(known, ada)).status).toBe(200);
    expect((await gateway.post({ query: 'query Other { public }' }, bob)).status).toBe(200);
    const unreadable = { query: '{' };
    expect((await gateway.post(unreadable, ada)).status).toBe(429); // it was not even looked at
    const looked = await gateway.post(unreadable, bob);
    expect(looked.body.errors?.[0]?.extensions['code']).toBe('GRAPHQL_PARSE_ERROR');
  });

  it('count what is rejected, and look at nothing more of an address that is over its rate', async () => {
    const gateway = await library.start({
      settings: 'rateLimits: { perAddress: { operations: 3, windowS: 60 } }',
    });
    const rejected = ['{', '{ nothing }', `{ ${'public '.repeat(1_000)} }`];
    for (const query of rejected) expect((await gateway.post({ query })).status).not.toBe(429);
    for (const query of [...rejected, '{ public }'])
      expect((await gateway.post({ query })).body.errors?.[0]?.extensions['code']).toBe('RATE_LIMITED');
    expect(library.graph.requests()).toBe(0);
  });

  it('S-053 count the root fields of every element of a batch', async () => {
    const gateway = await library.start({
      settings: 'rateLimits: { perAddress: { operations: 20, windowS: 60 } }',
    });
    const four =
      'mutation { a: rename(id: "1", name: "x") { id } b: rename(id: "1", name: "x") { id } c: rename(id: "1", name: "x") { id } d: rename(id: "1", name: "x") { id } }';
    await gateway.post(Array.from({ length: 5 }, () => ({ query: four })));
    expect((await gateway.post(PUBLIC)).status).toBe(429);
  });

  it('hold for each user and for each client, through all gateways that share a Redis', async () => {
    const redis = await startTestRedis();
    const options = {
      environment: { ...issuer.environment, CACHE_REDIS_URL: redis.url },
      settings:
        'rateLimits: { perUser: { operations: 2, windowS: 60 }, perClient: { operations: 5, windowS: 60 } }',
    };
    const [first, second] = [await library.start(options), await library.start(options)];
    const headersOf = async (sub: string): Promise<Readonly<Record<string, string>>> => ({
      authorization: `Bearer ${await issuer.sign({ sub })}`,
    });
    const [ada, ed, vi] = [await headersOf('ada'), await headersOf('ed'), await headersOf('vi')];
    expect(await statuses(2, () => first.post(PUBLIC, ada))).toEqual([200, 200]);
    expect((await second.post(PUBLIC, ada)).status).toBe(429);
    expect(await statuses(2, () => second.post(PUBLIC, ed))).toEqual([200, 200]);
    expect(await statuses(2, () => first.post(PUBLIC, vi))).toEqual([200, 429]);
    await redis.stop();
  });

  it('F-07 go on in each process while Redis is unavailable', async () => {
    const redis = await startTestRedis();
    const gateway = await library.start({
      environment: { CACHE_REDIS_URL: redis.url },
      settings: 'rateLimits: { perAddress: { operations: 2, windowS: 60 } }',
    });
    await redis.stop();
    expect(await statuses(4, () => gateway.post(PUBLIC))).toEqual([200, 200, 429, 429]);
  });

  it('trust X-Forwarded-For of trusted proxies alone', async () => {
    const settings = 'rateLimits: { perAddress: { operations: 1, windowS: 60 } }';
    const from = (address: string): Readonly<Record<string, string>> => ({ 'x-forwarded-for': address });
    const direct = await library.start({ settings });
    expect((await direct.post(PUBLIC, from('10.0.0.1'))).status).toBe(200);
    expect((await direct.post(PUBLIC, from('10.0.0.2'))).status).toBe(429);
    const behind = await library.start({ settings: `${settings}\nhttp: { trustProxy: [127.0.0.1] }` });
    expect((await behind.post(PUBLIC, from('10.0.0.1'))).status).toBe(200);
    expect((await behind.post(PUBLIC, from('10.0.0.2'))).status).toBe(200);
    expect((await behind.post(PUBLIC, from('10.0.0.1'))).status).toBe(429);
    expect((await behind.post(PUBLIC, from('2001:db8:1:2::1'))).status).toBe(200);
    expect((await behind.post(PUBLIC, from('2001:db8:1:2:3::9'))).status).toBe(429);
  });
});

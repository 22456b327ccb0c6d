import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createGateways, type Gateways, type GatewaysOptions } from './gateways.ts';

const STATE = {
  format: 'trellis-gateway-state/1',
  supergraph: { hash: 'abc', servedSince: 1 },
  rejectedReloads: 0,
  rejectedHeads: [],
  variants: [],
  stopped: [],
  records: [],
};
const USE = {
  field: 'User.name',
  complete: true,
  requests: 2,
  requestsWithField: 1,
  operations: [{ id: 'a', name: 'Me', requests: 1, clients: [{ name: 'web', version: '', requests: 1 }] }],
  further: 0,
};

const logged: object[] = [];
const observer: Pick<GatewaysOptions, 'onProblem' | 'onRecovered'> = {
  onProblem: (asked, failure) => logged.push({ ...asked, ...failure }),
  onRecovered: (asked) => logged.push(asked),
};

const servers: Server[] = [];
afterEach(() => {
  logged.splice(0);
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** An operations port that does something. @returns its address */
async function portThat(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sends =
  (status: number, body: unknown): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

/** Longer than any of these takes. */
const PATIENCE_MS = 60_000;

async function gatewayThat(
  listener: RequestListener,
  secret?: string,
  stateDeadlineMs = PATIENCE_MS,
): Promise<Gateways> {
  return createGateways({
    addresses: { one: await portThat(listener) },
    secret,
    ...observer,
    stateDeadlineMs,
  });
}

describe('A-286: what a gateway says of itself', () => {
  it('is read, members of later versions too, with the name that the operator gave it', async () => {
    const gateways = await gatewayThat((request, response) => {
      expect([request.url, request.headers.accept]).toEqual(['/gateway', 'application/json']);
      expect(request.headers.authorization).toBeUndefined();
      sends(200, { ...STATE, later: true })(request, response);
    }, 'secret');
    expect(await gateways.reports()).toEqual([{ name: 'one', state: STATE }]);
  });

  it.each<[string, RequestListener, string]>([
    ['fails', sends(500, STATE), 'not_understood'],
    ['redirects', (_, response) => response.writeHead(302, { location: '/' }).end(), 'not_understood'],
    ['sends a page', sends(200, '<!doctype html>'), 'not_understood'],
    ['sends another version', sends(200, { ...STATE, format: 'other/2' }), 'not_understood'],
    ['sends null', sends(200, 'null'), 'not_understood'],
    [
      'sends a time that is none',
      sends(200, { ...STATE, supergraph: { hash: 'a', servedSince: 1e300 } }),
      'not_understood',
    ],
    [
      'sends too many rows',
      sends(200, { ...STATE, rejectedHeads: Array.from({ length: 101 }, () => ({ reason: 'a', times: 1 })) }),
      'not_understood',
    ],
    ['sends too much', sends(200, 'x'.repeat(300_000)), 'too_large'],
    ['hangs', () => undefined, 'timed_out'],
    ['hangs in its body', (_, response) => void response.write('{'), 'timed_out'],
    ['closes', (request) => request.socket.destroy(), 'unreachable'],
  ])('is a problem where it %s', async (_what, listener, problem) => {
    const gateways = await gatewayThat(listener, undefined, problem === 'timed_out' ? 200 : PATIENCE_MS);
    expect(await gateways.reports()).toEqual([{ name: 'one', problem }]);
  });

  it('is read where names are long: they are cut', async () => {
    const record = {
      sequence: 42,
      recorded: '2026-11-20T10:00:00Z',
      action: 'publish',
      actor: 'ada',
      release: 'abc',
      variants: Array.from({ length: 100 }, (_, index) => `variant-${index}`).join(', '),
      servedSince: 0,
      isServed: false,
    };
    const [report] = await (await gatewayThat(sends(200, { ...STATE, records: [record] }))).reports();
    const shown = report && 'state' in report ? report.state.records[0]?.variants : undefined;
    expect(shown).toMatch(/^variant-0, .*…$/);
    expect(shown).toHaveLength(500);
  });

  it('is logged once for each problem where it cannot be read, and once when it can be again', async () => {
    let listener: RequestListener = (request) => request.socket.destroy();
    const gateways = await gatewayThat((request, response) => listener(request, response));
    const ask = async (next: RequestListener): Promise<void> => {
      listener = next;
      for (let times = 0; times < 3; times += 1) await gateways.reports();
    };
    await ask((request) => request.socket.destroy());
    await ask(sends(500, STATE));
    await ask(sends(200, STATE));
    const common = { gateway: 'one', asked: 'state' };
    expect(logged).toEqual([
      { ...common, problem: 'unreachable', reason: 'ECONNRESET' },
      { ...common, problem: 'not_understood', reason: 'HTTP 500' },
      common,
    ]);
  });

  it('is known of the others where one is gone, and no name leads to the internet without TLS', async () => {
    const good = await portThat(sends(200, STATE));
    const gateways = createGateways({
      addresses: {
        gone: 'http://127.0.0.1:1',
        good,
        public: 'http://8.8.8.8:9464',
        cloud: 'http://169.254.169.254',
      },
      secret: undefined,
      ...observer,
    });
    expect(await gateways.reports()).toEqual([
      { name: 'gone', problem: 'unreachable' },
      { name: 'good', state: STATE },
      { name: 'public', problem: 'unreachable' },
      { name: 'cloud', problem: 'unreachable' },
    ]);
  });
});

describe('Who uses a field, as a gateway says it', () => {
  it('is asked for with the secret', async () => {
    const gateways = await gatewayThat(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      expect([request.method, request.url, request.headers.authorization]).toEqual([
        'POST',
        '/gateway/field-users',
        'Bearer s3cret',
      ]);
      expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({ field: 'User.name', days: 7 });
      sends(200, USE)(request, response);
    }, 's3cret');
    expect(await gateways.fieldUse('one', 'User.name', 7)).toEqual({ use: USE });
    expect(await gateways.fieldUse('two', 'User.name', 7)).toBeUndefined();
  });

  it.each<[string, RequestListener, string]>([
    ['the field is unknown', sends(404, { problems: ['x'] }), 'unknown_field'],
    [
      'it is an older one',
      sends(404, { message: 'Route POST:/gateway/field-users not found' }),
      'not_understood',
    ],
    ['nothing is recorded', sends(409, {}), 'not_recorded'],
    ['the secret is wrong', sends(401, {}), 'denied'],
    ['it takes no secret from here', sends(403, {}), 'denied'],
    ['it is busy', sends(503, {}), 'unavailable'],
    ['it sends nonsense', sends(200, '{'), 'not_understood'],
    ['it sends too much', sends(200, 'x'.repeat(5_000_000)), 'too_large'],
    ['it closes', (request) => request.socket.destroy(), 'unreachable'],
  ])('is a problem where %s', async (_what, listener, problem) => {
    const gateways = await gatewayThat(listener);
    expect(await gateways.fieldUse('one', 'User.name', 7)).toEqual({ problem });
  });
});

describe('What costs a gateway something', () => {
  it('is asked once while the same is on its way, and another search is not begun', async () => {
    const waiting: (() => void)[] = [];
    let requests = 0;
    const gateways = await gatewayThat((request, response) => {
      requests += 1;
      waiting.push(() => sends(200, request.url === '/gateway' ? STATE : USE)(request, response));
    });
    const states = [gateways.reports(), gateways.reports(), gateways.reports()];
    const searches = [gateways.fieldUse('one', 'User.name', 7), gateways.fieldUse('one', 'User.name', 7)];
    expect(await gateways.fieldUse('one', 'User.age', 7)).toEqual({ problem: 'unavailable' });
    await expect.poll(() => waiting.length).toBe(2);
    for (const respond of waiting) respond();
    const report = { name: 'one', state: STATE };
    expect(await Promise.all(states)).toEqual([[report], [report], [report]]);
    expect(await Promise.all(searches)).toEqual([{ use: USE }, { use: USE }]);
    expect(requests).toBe(2);
  });
});

describe('What was judged of a record, as a gateway says it', () => {
  it.each<[string, RequestListener, object]>([
    ['has no verdict', sends(200, { format: 'trellis-gateway-record/1', verdict: null }), { verdict: null }],
    ['is unknown', sends(404, { problems: ['x'] }), { problem: 'unknown_record' }],
    [
      'comes from an older gateway',
      sends(404, { message: 'Route not found' }),
      { problem: 'not_understood' },
    ],
    ['can’t be read', sends(503, { problems: ['x'] }), { problem: 'unavailable' }],
    ['is nonsense', sends(200, 'null'), { problem: 'not_understood' }],
    ['is too large', sends(200, 'x'.repeat(300_000)), { problem: 'too_large' }],
  ])('%s', async (_what, listener, report) => {
    const gateways = await gatewayThat(listener);
    expect(await gateways.verdict('one', 42)).toEqual(report);
    expect(await gateways.verdict('two', 42)).toBeUndefined();
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { demoPassword } from '@trellis/demo-data';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { submitSignIn } from '../../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';

const HOSTILE = '"><script>alert(1)</script>';
const SECRET = 'uB3vYk0sQm9dWz7eXh2rTg5nLc8pJf1a';
const release = 'abcdef0123456789'.repeat(4);
const side = { callers: 40, operations: 200, failed: 10, half: { seconds: 0.005, isBeyond: false } };

const record = (sequence: number, isServed: boolean): object => ({
  sequence,
  recorded: '2026-11-20T10:00:00Z',
  action: 'publish',
  actor: HOSTILE,
  release,
  variants: 'canary',
  servedSince: isServed ? 1_700_000_000 : 0,
  isServed,
});

const STATE = {
  format: 'trellis-gateway-state/1',
  supergraph: { hash: 'abc', servedSince: 1_600_000_000 },
  rejectedReloads: 3,
  record: { environment: 'production', sequence: 41, release },
  registryCheckedAt: 1_700_000_000,
  rejectedHeads: [{ reason: 'INVALID_SIGNATURE', times: 2 }],
  variants: [{ name: HOSTILE, rule: 'percent', percent: 5, release }],
  canary: {
    variant: 'canary',
    share: 0.05,
    main: side,
    canary: { ...side, failed: 100, nearlyAll: { seconds: 10, isBeyond: true } },
    evidence: { failed: 2.345, slow: 0 },
    stopsAt: 16,
  },
  stopped: [
    { at: 1_700_000_000, variant: 'old', release, reason: 'slow', evidence: '17', main: '3', canary: '9' },
  ],
  records: [record(42, false), record(41, true)],
};
const client = { name: HOSTILE, version: '2.1', requests: 25, lastUsed: '2026-11-20T10:30:00Z' };
const USE = {
  field: 'User.name',
  from: '2026-11-13T10:00:00Z',
  to: '2026-11-20T10:00:00Z',
  complete: true,
  requests: 100,
  requestsWithField: 25,
  operations: [{ id: 'f'.repeat(64), name: '', requests: 25, clients: [client] }],
  further: 7,
};

let port: Server;
let server: TestAuthServer;
let operator: Browser;
let use: object = USE;
let state: object = STATE;
let judged: object = {};
const asked: string[] = [];
beforeAll(async () => {
  port = createServer((request, response) => respond(request, response)).listen(0, '127.0.0.1');
  await once(port, 'listening');
  const address = `http://127.0.0.1:${(port.address() as AddressInfo).port}`;
  server = await startTestAuthServer({
    ADMIN_API: 'true',
    GATEWAY_OPERATIONS_URLS: `eu=${address} us=${address} gone=http://127.0.0.1:1`,
    GATEWAY_OPERATIONS_SECRET: SECRET,
    GRAPH_HISTORY_URL: 'https://ci.example/history.html',
  });
  operator = new Browser();
  const page = await operator.follow(await operator.get(`${server.issuer}/console`), server.issuer);
  await submitSignIn(operator, page, 'ada@example.com', demoPassword);
});
afterAll(async () => {
  await server.stop();
  port.closeAllConnections();
  port.close();
});

function respond(request: IncomingMessage, response: ServerResponse): void {
  asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
  if (request.url?.startsWith('/gateway/records/')) response.end(JSON.stringify(judged));
  else response.end(JSON.stringify(request.url === '/gateway' ? state : use));
}

/** Rows of the page, cells separated by bars. */
async function rowsOf(path: string, language = 'en'): Promise<readonly string[]> {
  const url = `${server.issuer}/console${path}`;
  const response = await operator.get(url, { 'accept-language': language });
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(html).not.toContain('<script');
  return [...html.matchAll(/<tr role="row">([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    row
      .replaceAll(/<\/t[dh]>/g, '|')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/ ?\| ?/g, '|')
      .trim(),
  );
}

const ESCAPED = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;';

describe('A-286: the console’s page of the graph', () => {
  it('shows what each gateway serves, since when, variants and what was rejected; of one that is gone, a sentence', async () => {
    const rows = await rowsOf('/graph');
    const served = `production.41 abcdef012345|Nov 14, 2023, 10:13 PM UTC|${ESCAPED} (abcdef012345): 5 % of callers|INVALID_SIGNATURE: 2 Reloads that were invalid: 3|`;
    expect(rows).toEqual(
      expect.arrayContaining([`eu|${served}`, `us|${served}`, 'gone|The gateway is unreachable.||||']),
    );
  });

  it('shows the versions, who serves them, and where each change can be looked at', async () => {
    const rows = await rowsOf('/graph');
    const rest = `Nov 20, 2026, 10:00 AM UTC|publish|${ESCAPED}|abcdef012345|canary`;
    expect(rows).toEqual(
      expect.arrayContaining([
        `production.42|${rest}||Changes of production.42|`,
        `production.41|${rest}|eu us|Changes of production.41|`,
      ]),
    );
    const html = await (await operator.get(`${server.issuer}/console/graph`)).text();
    expect(html).toContain(`href="${server.issuer}/console/graph/change?gateway=eu&amp;record=42"`);
  });

  it('names the contract of the version that is served', async () => {
    state = { ...STATE, record: { ...STATE.record, contract: 'partners' } };
    const rows = await rowsOf('/graph').finally(() => (state = STATE));
    expect(rows.some((row) => row.startsWith('eu|production.41+partners abcdef012345|'))).toBe(true);
    expect(rows.some((row) => row.includes('|eu (+partners) us (+partners)|'))).toBe(true);
  });

  it('shows the canary beside the main version, and those that were stopped', async () => {
    const rows = await rowsOf('/graph');
    expect(rows).toEqual(
      expect.arrayContaining([
        'Share of callers|95 %|5 %|',
        'Failed|10 (5 %)|100 (50 %)|',
        'Half within|5 ms|5 ms|',
        '99 % within||&gt; 10 s|',
        'Evidence: callers with a failure||2.3 (stops at 16, soon after it began at less)|',
        'us|Nov 14, 2023, 10:13 PM UTC|old|abcdef012345|more callers with slow responses than by chance|3|9|',
      ]),
    );
  });

  it('says who uses a field, with the secret of the gateways', async () => {
    asked.length = 0;
    const rows = await rowsOf('/graph?field=User.name&gateway=us&days=30');
    expect(rows).toContain(`without a name (ffffffff)|${ESCAPED} 2.1|25|25 %|Nov 20, 2026, 10:30 AM UTC|`);
    expect(asked).toContain(`POST /gateway/field-users Bearer ${SECRET}`);
    expect(server.log.join('')).not.toContain(SECRET);
  });

  it.each([
    ['yes', USE],
    ['yes; recorded usage of this time is incomplete, so there may be more', { ...USE, complete: false }],
    ['no', { ...USE, operations: [] }],
    [
      'unknown: recorded usage of this time is incomplete',
      { ...USE, operations: [], complete: false, from: undefined, to: undefined },
    ],
  ])('says whether it is in use: %s', async (verdict, found) => {
    use = found;
    const html = await (await operator.get(`${server.issuer}/console/graph?field=User.name`)).text();
    expect(html).toContain(`<strong>${verdict}</strong>`);
    use = USE;
  });

  it.each([
    'field=User',
    `field=${encodeURIComponent(HOSTILE)}`,
    'field=User.name&days=0',
    'field=User.name&days=x',
  ])('asks no gateway for %s', async (query) => {
    asked.length = 0;
    const response = await operator.get(`${server.issuer}/console/graph?${query}`);
    const html = await response.text();
    expect([response.status, html.includes('<script')]).toEqual([200, false]);
    expect(html).toContain('Name a field of a type, such as User.name, and 1 to 90 days.');
    expect(asked.some((line) => line.startsWith('POST'))).toBe(false);
  });

  it.each([
    ['de', 'Das Gateway ist nicht erreichbar.'],
    ['zh', '无法连接网关。'],
  ])('is in the language of its operator: %s', async (language, sentence) => {
    expect(await rowsOf('/graph', language)).toContain(`gone|${sentence}||||`);
  });
});

const VERDICT = {
  counts: { breaking: 0, dangerous: 1, unknown: 0, safe: 1, approved: 1 },
  changes: [
    {
      verdict: 'breaking',
      code: 'FIELD_REMOVED',
      coordinate: 'User.bio',
      message: HOSTILE,
      operations: 2,
      approvedBy: 'ada',
    },
  ],
  order: {
    verdict: 'not-in-one-step',
    steps: [
      { action: 'deploy-both', subgraph: HOSTILE, forNew: 'a is new', forOld: 'b is used' },
      { action: 'publish' },
      { action: 'end', subgraph: 'users' },
    ],
  },
};

describe('The console’s page of a change', () => {
  const pageOf = async (query: string, language = 'en'): Promise<string> => {
    const url = `${server.issuer}/console/graph/change?${query}`;
    return (await operator.get(url, { 'accept-language': language })).text();
  };

  it('shows verdict and order of deployment as a picture, and in words', async () => {
    judged = { format: 'trellis-gateway-record/1', verdict: VERDICT };
    const html = await pageOf('gateway=us&record=42');
    expect(html).not.toContain('<script');
    const [svg = ''] = /<svg[^]*<\/svg>/.exec(html) ?? [];
    expect(svg).toContain('role="img"');
    expect(svg).not.toContain('style');
    expect(svg).toContain(
      `<title>Not in one step: deploy twice; 1 dangerous; 1 safe; 1 approved; deploy ${ESCAPED} with what is new and what was before; publish; end users</title>`,
    );
    expect(await rowsOf('/graph/change?gateway=us&record=42')).toEqual(
      expect.arrayContaining([
        `1|deploy ${ESCAPED} with what is new and what was before|a is new|b is used|`,
        '2|publish|||',
        `breaking|User.bio|${ESCAPED}|2|ada|`,
      ]),
    );
    expect(html).toContain('2 more changes are not shown: trellis diff lists all.');
    expect(html).toContain('href="https://ci.example/history.html#record-42"');
  });

  it.each([
    ['en', 'This record was published without a verdict'],
    ['de', 'Dieser Eintrag wurde ohne Urteil veröffentlicht'],
    ['zh', '此记录发布时没有判定'],
  ])('says that a record was published without a verdict: %s', async (language, sentence) => {
    judged = { format: 'trellis-gateway-record/1', verdict: null };
    const html = await pageOf('gateway=eu&record=41', language);
    expect([html.includes(sentence), html.includes('<svg')]).toEqual([true, false]);
  });

  it.each([
    '',
    'gateway=eu&record=7',
    'gateway=eu&record=x',
    'gateway=none&record=42',
    'gateway=gone&record=42',
  ])('asks no gateway for a record that none has: %s', async (query) => {
    asked.length = 0;
    expect(await pageOf(query)).toContain('The history of the gateway has no such record.');
    expect(asked.some((line) => line.includes('/records/'))).toBe(false);
  });

  it('says that the verdict is not understood', async () => {
    judged = { format: 'trellis-gateway-record/1', verdict: { ...VERDICT, counts: {} } };
    expect(await pageOf('gateway=eu&record=42')).toContain('What responds is no gateway');
  });
});

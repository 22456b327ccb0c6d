import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carriers } from '../../../test-fixtures/attacks/carriers.ts';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../../testing/token-issuer.ts';

let graph: LibraryGraph;
let issuer: TokenIssuer;
let untrusted: TokenIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  [graph, issuer, untrusted] = await Promise.all([
    startLibraryGraph(),
    startTokenIssuer(),
    startTokenIssuer(),
  ]);
  gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: '{}',
    environment: {
      NODE_ENV: 'production',
      ...issuer.environment,
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([graph.close(), issuer.close(), untrusted.close()]);
});
beforeEach(() => graph.forget());

const nowS = (): number => Math.floor(Date.now() / 1_000);
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A good token with one of its parts replaced. */
async function tampered(part: 0 | 1 | 2, text: string): Promise<string> {
  return (await issuer.sign()).split('.').with(part, text).join('.');
}

/** Each is asked for what needs no token at all: an invalid token is rejected all the same. */
const badTokens: readonly (readonly [what: string, make: () => Promise<string>])[] = [
  ['that has expired', () => issuer.sign({ exp: nowS() - 60 })],
  ['that is not valid yet', () => issuer.sign({ nbf: nowS() + 60 })],
  ['of another audience', () => issuer.sign({ aud: 'https://elsewhere.example' })],
  ['of another issuer', () => untrusted.sign()],
  ['of another issuer in the name of ours', () => untrusted.sign({ iss: issuer.issuer })],
  ['with claims that were changed', () => tampered(1, encode({ iss: issuer.issuer, sub: 'root' }))],
  ['with a signature that was changed', () => tampered(2, 'A'.repeat(86))],
  ['that is not signed', () => tampered(0, encode({ alg: 'none', typ: 'at+jwt' }))],
  ['that is an id_token', () => issuer.signUnderHeader({ typ: 'JWT' })],
  ['of an unknown key', () => issuer.signUnderHeader({ kid: 'unknown' })],
  ['that is bound to a key, without a proof', () => issuer.sign({ cnf: { jkt: 'x' } })],
  ['that is garbage', async () => 'garbage'],
];

describe.each(carriers)('S-090 credentials by $name', (carrier) => {
  it.each(badTokens)('a token %s is rejected, and no subgraph is asked', async (_what, make) => {
    const authorization = `Bearer ${await make()}`;
    const verdicts = await carrier.send(gateway.url, { attack: '', query: '{ public }', authorization });
    for (const { code, text } of verdicts) {
      expect(code).toBe('UNAUTHENTICATED');
      expect(text).not.toContain('open to all');
    }
    expect(graph.requests()).toBe(0);
  });

  it('of another scheme are rejected, and no subgraph is asked', async () => {
    const authorization = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
    for (const { code } of await carrier.send(gateway.url, {
      attack: '',
      query: '{ public }',
      authorization,
    }))
      expect(code).toBe('UNAUTHENTICATED');
    expect(graph.requests()).toBe(0);
  });

  it.each([
    ['a field', '{ me { id } }'],
    ['an alias', '{ public: me { id } }'],
    ['a fragment', '{ ...f } fragment f on Query { ... { me { id } } }'],
  ])(
    'S-091 without a token %s that needs one stays closed, and no subgraph is asked',
    async (_what, query) => {
      for (const { code, text } of await carrier.send(gateway.url, { attack: '', query })) {
        expect(code).toBe('UNAUTHENTICATED');
        expect(text).not.toContain('user-1');
      }
      expect(graph.requests()).toBe(0);
    },
  );

  it('S-091 without the scope it stays closed, and no subgraph is asked', async () => {
    const authorization = `Bearer ${await issuer.sign({ scope: 'read:data' })}`;
    const query = '{ secrets { text } }';
    for (const { code, text } of await carrier.send(gateway.url, { attack: '', query, authorization })) {
      expect(code).toBe('FORBIDDEN');
      expect(text).not.toContain('hush');
    }
    expect(graph.requests()).toBe(0);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import type { Variant } from '@trellis/registry';
import { gql } from 'graphql-tag';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpStreamSubgraph } from '../testing/http-stream-subgraph.ts';
import { PublishedGraph } from '../testing/published-graph.ts';
import {
  startSubgraph,
  type SubgraphRequestContext,
  type SubgraphServer,
} from '../testing/subgraph-server.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

const VERSION = '{ version }';

let issuer: TokenIssuer;
let graph: PublishedGraph;
let gateway: TestGateway;
let subgraphs: Readonly<Record<'main' | 'next', SubgraphServer>>;
let previewKey: CryptoKey | Uint8Array;

/** The same subgraph in two versions: the next one has a field more. */
function startVersion(version: string, field: string): Promise<SubgraphServer> {
  return startSubgraph({
    name: 'numbers',
    typeDefs: gql`type Query { version: String! ${field} }`,
    resolvers: {
      Query: {
        version: (_source: unknown, _given: unknown, context: unknown) => {
          (context as SubgraphRequestContext).response.setHeader('cache-control', 'max-age=60'); // what its server passes
          return version;
        },
      },
    },
  });
}

beforeAll(async () => {
  const [main, next, made] = await Promise.all([
    startVersion('main', ''),
    startVersion('next', 'more: Int'),
    PublishedGraph.create(),
  ]);
  subgraphs = { main, next };
  graph = made;
  issuer = await startTokenIssuer();
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  previewKey = privateKey;
  const previewKeys = join(graph.folder, '../preview-keys.json');
  writeFileSync(previewKeys, JSON.stringify({ keys: [await exportJWK(publicKey)] }));
  await graph.publish([main]);
  gateway = await startTestGateway({
    subgraphs: [main],
    settings: graph.settings({ previewKeys, responseHeader: true }),
    environment: {
      SUPERGRAPH: 'registry',
      ...issuer.environment,
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([issuer.close(), subgraphs.main.close(), subgraphs.next.close()]);
  graph.close();
});

/** Publishes a variant with the next version, and waits until it serves. */
async function serveVariant(rule: Variant['rule'], name = 'preview'): Promise<void> {
  const release = await graph.release([subgraphs.next]);
  await serve([{ name, release, rule, abortsItself: false }]);
}

async function serve(variants: readonly Variant[]): Promise<void> {
  const { record } = await graph.append({ variants, action: 'canary' });
  await until(
    async () =>
      (await ask()).headers.get('trellis-supergraph')?.startsWith(`production.${record.sequence}`) === true,
  );
}

const ask = (headers: Readonly<Record<string, string>> = {}): Promise<GatewayResponse> =>
  gateway.post({ query: VERSION }, headers);

async function versionFor(headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  return (await ask(headers)).body.data?.['version'];
}

async function tokenOf(claims: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, string>>> {
  return { authorization: `Bearer ${await issuer.sign(claims)}` };
}

async function previewToken(
  claims: Readonly<Record<string, unknown>>,
  audience = 'library@production',
  expires = '1 hour',
): Promise<string> {
  return new SignJWT({ variant: 'preview', ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'trellis-preview+jwt' })
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(previewKey);
}

describe('A request is served by a variant', () => {
  it('whose header an allowed client sends; others get the main version', async () => {
    await serveVariant({ kind: 'header', header: 'x-variant', value: 'preview', clients: ['app'] });
    const app = await tokenOf({ client_id: 'app' });
    expect(await versionFor({ ...app, 'x-variant': 'preview' })).toBe('next');
    expect(await versionFor({ ...app, 'x-variant': 'other' })).toBe('main');
    expect(await versionFor(app)).toBe('main');
    expect(await versionFor({ 'x-variant': 'preview' })).toBe('main');
    expect(await versionFor({ ...(await tokenOf({ client_id: 'other' })), 'x-variant': 'preview' })).toBe(
      'main',
    );
  });

  it('for which its header has a signed preview token', async () => {
    await serveVariant({ kind: 'header', header: 'x-variant', value: 'preview', clients: [] });
    const seen = [];
    for (const token of [
      await previewToken({}),
      await previewToken({ variant: 'another' }),
      await previewToken({}, 'library@staging'),
      await previewToken({}, 'library@production', '1 second ago'),
      (await previewToken({})).slice(0, -4),
      'preview',
    ])
      seen.push([await versionFor({ 'x-variant': token }), await versionFor({ 'x-variant': token })]);
    expect(seen.map(([first, again]) => (first === again ? first : 'changing'))).toEqual([
      'next',
      'main',
      'main',
      'main',
      'main',
      'main',
    ]);
  });

  it('whose response no cache may have for others', async () => {
    await serve([]);
    const alone = await ask();
    await serveVariant({ kind: 'header', header: 'x-variant', value: 'preview', clients: [] });
    const main = await ask();
    const preview = await ask({ 'x-variant': await previewToken({}) });
    expect(preview.body.data).toEqual({ version: 'next' });
    expect(preview.headers.get('cache-control')).toBe('no-store');
    expect([alone, main].map(({ headers }) => headers.get('cache-control'))).toEqual([
      'public, max-age=60',
      'public, max-age=60',
    ]);
    expect(alone.headers.get('vary')).not.toContain('x-variant');
    expect(main.headers.get('vary')?.split(', ')).toContain('x-variant');
  });

  it('of its host', async () => {
    await serveVariant({ kind: 'host', host: 'localhost' });
    const response = await fetch(`${gateway.url.replace('127.0.0.1', 'localhost')}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: VERSION }),
    });
    expect(await response.json()).toEqual({ data: { version: 'next' } });
    expect(await versionFor()).toBe('main');
  });

  it('whose claim its token has', async () => {
    await serveVariant({ kind: 'claim', claim: 'ring', value: 'early' });
    expect(await versionFor(await tokenOf({ ring: 'early' }))).toBe('next');
    expect(await versionFor(await tokenOf({ ring: ['late', 'early'] }))).toBe('next');
    expect(await versionFor(await tokenOf({ ring: 'late' }))).toBe('main');
    expect(await versionFor()).toBe('main');
  });

  it('by percent, the same for each request of a user, and a larger share holds the smaller one', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 60 }, (_, index) => tokenOf({ sub: `user-${index}` })),
    );
    const chosen = async (): Promise<readonly unknown[]> => Promise.all(tokens.map(versionFor));
    await serveVariant({ kind: 'percent', percent: 30 });
    const first = await chosen();
    expect(await chosen()).toEqual(first);
    const share = first.filter((version) => version === 'next').length;
    expect(share).toBeGreaterThan(5);
    expect(share).toBeLessThan(35);
    await serveVariant({ kind: 'percent', percent: 70 });
    const later = await chosen();
    expect(first.every((version, index) => version === 'main' || later[index] === 'next')).toBe(true);
    await serveVariant({ kind: 'percent', percent: 100 });
    expect(new Set(await chosen())).toEqual(new Set(['next']));
  });

  it('with an invalid token it is rejected, whatever the variants', async () => {
    await serveVariant({ kind: 'percent', percent: 50 });
    const { body } = await ask({ authorization: 'Bearer none' });
    expect(body.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
    expect(body.data).toBeUndefined();
  });
});

describe('What a gateway says of the version that it serves', () => {
  it('is in a header where asked, in health, in metrics and in the log', async () => {
    await serveVariant({ kind: 'header', header: 'x-variant', value: 'preview', clients: [] });
    const { record } = await graph.append({});
    const version = `production.${record.sequence}`;
    await until(async () => (await ask()).headers.get('trellis-supergraph') === version);
    const preview = await ask({ 'x-variant': await previewToken({}) });
    expect(preview.headers.get('trellis-supergraph')).toBe(`${version}/preview`);
    const health = await fetch(`${gateway.url}/health/ready`);
    expect(await health.json()).toEqual({ status: 'ready', supergraph: version });
    const metrics = await gateway.metrics.metrics();
    expect(metrics).toContain(
      `trellis_gateway_supergraph_info{environment="production",sequence="${record.sequence}",release="${record.release.digest}"`,
    );
    const loaded = gateway.logged().findLast(({ msg }) => msg === 'supergraph loaded');
    expect(loaded).toMatchObject({
      environment: 'production',
      sequence: record.sequence,
      release: record.release.digest,
    });
  });
});

describe('Streams', () => {
  it('of a variant go on with the main version when it stops, and those of the main version stay there', async () => {
    await serveVariant({ kind: 'claim', claim: 'ring', value: 'early' });
    const open = async (headers: Readonly<Record<string, string>>): Promise<() => readonly unknown[]> => {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
        body: JSON.stringify({ query: 'query @live(throttle: 200) { version }' }),
      });
      let text = '';
      void (async () => {
        for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
      })().catch(() => undefined);
      return () => [...text.matchAll(/"version":"(\w+)"/g)].map(([, version]) => version);
    };
    const early = await open(await tokenOf({ ring: 'early' }));
    const others = await open({});
    await until(() => early().length > 0 && others().length > 0);
    await serve([]);
    await until(() => early().length > 1);
    expect(early()).toEqual(['next', 'main']);
    expect(others()).toEqual(['main']);
  });

  it('come from where the release says that its subgraph is subscribed to', async () => {
    const events = await startHttpStreamSubgraph();
    try {
      events.onPost = ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('event: next\ndata: {"data":{"ticks":7}}\n\nevent: complete\ndata:\n\n');
      };
      const typeDefs = gql`
        type Query {
          version: String!
        }
        type Subscription {
          ticks: Int
        }
      `;
      const routing = { subscriptionUrl: events.url, subscriptionProtocol: 'sse' };
      const release = await graph.release([{ ...subgraphs.main, typeDefs, ...routing }]);
      const { record } = await graph.append({ release, variants: [] });
      await until(
        async () => (await ask()).headers.get('trellis-supergraph') === `production.${record.sequence}`,
      );
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: 'subscription { ticks }' }),
      });
      expect(await response.text()).toContain('{"data":{"ticks":7}}');
      expect([events.upgrades(), events.posted[0]?.headers.accept]).toEqual([
        0,
        expect.stringContaining('text/event-stream'),
      ]);
    } finally {
      await events.close();
    }
  });
});

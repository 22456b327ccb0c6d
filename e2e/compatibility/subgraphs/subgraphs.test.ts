import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, fetchExchange } from '@urql/core';
import { createTemporaryDirectory, freePort } from '@trellis/testkit';
import { createUserContextVerifier } from '@trellis/subgraph-protocol';
import { createLocalJWKSet, exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../../harness/ask-graph.ts';
import { startGateway, type GatewayProcess } from '../../harness/gateway-process.ts';
import { startTokenIssuer, type TokenIssuer } from '../../harness/token-issuer.ts';
import { cell } from '../cell.ts';
import { codeBlocks } from '../../documentation/code-blocks.ts';
import {
  startApollo,
  startMercurius,
  startPlain,
  startYoga,
  type ForeignSubgraph,
  type WhoAsks,
} from './foreign-subgraphs.ts';
import { startKit } from './kit-subgraph.ts';

const running: ForeignSubgraph[] = [];
const files = createTemporaryDirectory();
let issuer: TokenIssuer;
let gateway: GatewayProcess;

async function keep(starting: Promise<ForeignSubgraph>): Promise<string> {
  const subgraph = await starting;
  running.push(subgraph);
  return subgraph.url;
}

/** Apollo Server sends the events of subscriptions by HTTP callbacks, which nothing can find out. */
const settingsFor = (port: number): string => `
uploads: {}
subscriptions:
  callback: { publicUrl: 'http://127.0.0.1:${port}/callback', listen: '127.0.0.1:${port}' }
  subgraphs: { apollo: { transport: callback } }
`;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const names = { kid: 'context-1', alg: 'ES256' };
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), ...names }] });
  const whoAsksIn = (subgraph: string): WhoAsks => {
    const verifier = createUserContextVerifier({ subgraph, keys });
    return async (signed) => (await verifier.verify(signed ?? undefined)).user?.id ?? 'anonymous';
  };
  const callbackPort = await freePort();
  const configFile = join(files.path, 'gateway.yaml');
  writeFileSync(configFile, settingsFor(callbackPort));
  issuer = await startTokenIssuer('https://graph.example');
  gateway = await startGateway({
    supergraph: {
      yoga: await keep(startYoga(whoAsksIn('yoga'))),
      mercurius: await keep(startMercurius(whoAsksIn('mercurius'))),
      apollo: await keep(startApollo(whoAsksIn('apollo'))),
      plain: await keep(startPlain()),
      kit: await keep(startKit(createUserContextVerifier({ subgraph: 'kit', keys }), files.path)),
    },
    environment: {
      CONFIG: configFile,
      TOKEN_ISSUER: issuer.issuer,
      TOKEN_AUDIENCE: issuer.audience,
      TOKEN_JWKS_URL: issuer.jwksUrl,
      USER_CONTEXT_PRIVATE_KEY: JSON.stringify({ ...(await exportJWK(pair.privateKey)), ...names }),
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(running.map((subgraph) => subgraph.close()));
  await issuer.close();
  files.remove();
});

describe('subgraphs made with libraries of others, by their defaults', () => {
  it('answer queries, and resolve the entities of one another', async () => {
    const query = '{ product(id: "7") { name price reviews stock } currency warehouse reviewCount }';
    expect(dataOf(await askGraph(gateway.graph, { query }))).toEqual({
      product: { name: 'Product 7', price: 12, reviews: ['Good, 7.'], stock: 7 },
      currency: 'EUR',
      warehouse: 'North',
      reviewCount: 2,
    });
  });

  it.each(['Yoga', 'Mercurius', 'Apollo'])(
    'a mutation in %s knows by the signed context who asks',
    async (library) => {
      const token = await issuer.sign({ sub: 'ada' });
      const result = await askGraph(gateway.graph, { query: `mutation { rateIn${library} }`, token });
      expect(dataOf(result)).toEqual({ [`rateIn${library}`]: 'ada' });
    },
  );

  it('an upload reaches a mutation in Yoga, by its defaults', async () => {
    const query = 'mutation ($file: File!, $note: String) { measure(file: $file, note: $note) }';
    const form = new FormData();
    form.append('operations', JSON.stringify({ query, variables: { file: null, note: 'n' } }));
    form.append('map', JSON.stringify({ picture: ['variables.file'] }));
    form.append('picture', new Blob(['x'.repeat(3_000_000)], { type: 'image/png' }), 'a.png');
    const response = await fetch(gateway.graph, { method: 'POST', body: form });
    expect(await response.json()).toEqual({ data: { measure: 'a.png image/png 3000000 n' } });
  });

  it(cell('urql', 'upload'), async () => {
    const client = new Client({ url: gateway.graph, exchanges: [fetchExchange] });
    const query = 'mutation ($file: File!, $note: String) { measure(file: $file, note: $note) }';
    const file = new File(['x'.repeat(300_000)], 'b.png', { type: 'image/png' });
    const { data, error } = await client.mutation(query, { file, note: 'u' });
    expect([error, data]).toEqual([undefined, { measure: 'b.png image/png 300000 u' }]);
  });

  it(cell('subgraph-kit', 'uploads'), async () => {
    const source = readFileSync(new URL('store-pictures.ts', import.meta.url), 'utf8');
    const quoted = codeBlocks('docs/uploads.md').find(({ language }) => language === 'typescript');
    expect(quoted?.text.trim()).toBe(source.trim());
    const query = 'mutation ($files: [Upload!]!) { addPictures(files: $files) }';
    const form = new FormData();
    form.append('operations', JSON.stringify({ query, variables: { files: [null, null] } }));
    form.append('map', JSON.stringify({ a: ['variables.files.0'], b: ['variables.files.1'] }));
    const sizes = [3_000_000, 5];
    for (const [index, size] of sizes.entries())
      form.append('ab'.charAt(index), new Blob(['x'.repeat(size)]), 'x');
    const response = await fetch(gateway.graph, { method: 'POST', body: form });
    const { data } = (await response.json()) as {
      readonly data: { readonly addPictures: readonly string[] };
    };
    expect(data.addPictures.map((id) => statSync(join(files.path, id)).size)).toEqual(sizes);
  });

  it.each(['Yoga', 'Mercurius', 'Apollo'])(
    'B4: a subscription in %s is delivered, event by event to its end',
    async (library) => {
      const response = await fetch(gateway.graph, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: `subscription { countdownIn${library} }` }),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      expect(text.match(/^data: \{.*$/gm)).toEqual([
        `data: {"data":{"countdownIn${library}":2}}`,
        `data: {"data":{"countdownIn${library}":1}}`,
      ]);
      expect(text).toContain('event: complete');
    },
  );
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { decodeJwt, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { startGateway, type GatewayProcess } from '../harness/gateway-process.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { startTokenIssuer, type TokenIssuer } from '../harness/token-issuer.ts';
import { TokenBook } from '../harness/token-book.ts';

const AUDIENCE = 'https://partners.example/graph';
const ME = '{ me { id name role email } }';

interface Me {
  readonly me: { readonly id: string; readonly name: string; readonly role: string; readonly email?: string };
}

let directory: TemporaryDirectory;
/** May read and write, as no one in particular. */
let partner: TokenIssuer;
/** Is accepted, and may say nothing. */
let guest: TokenIssuer;
let gateway: GatewayProcess;
let tokens: TokenBook;
let ada: string;

beforeAll(async () => {
  const { addresses, environment } = sharedPlatform();
  directory = createTemporaryDirectory();
  [partner, guest] = await Promise.all([startTokenIssuer(AUDIENCE), startTokenIssuer(AUDIENCE)]);
  tokens = new TokenBook(addresses.issuer);
  ada = await tokens.of('ada');
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(
    settings,
    `authentication:
  issuers:
    - { issuer: "${partner.issuer}", audience: "${AUDIENCE}", jwksUrl: "${partner.jwksUrl}", scopes: [read:data, read:profile, write:data] }
    - { issuer: "${guest.issuer}", audience: "${AUDIENCE}", jwksUrl: "${guest.jwksUrl}" }
`,
  );
  gateway = await startGateway({
    supergraph: 'graph/supergraph.graphql',
    environment: {
      CONFIG: settings,
      TOKEN_ISSUER: addresses.issuer,
      TOKEN_AUDIENCE: addresses.graph,
      TOKEN_JWKS_URL: `${addresses.issuer}/jwks.json`,
      USER_CONTEXT_PRIVATE_KEY: JSON.stringify(contextKeyIn(environment['DATA_DIR'] ?? '')),
      SUBGRAPH_URLS: Object.entries(addresses.subgraphs)
        .map(([name, url]) => `${name}=${url}/graphql`)
        .join(' '),
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([partner.close(), guest.close()]);
  directory.remove();
});

/** Subgraphs trust all that is signed with it. */
function contextKeyIn(dataDirectory: string): unknown {
  const secrets = JSON.parse(readFileSync(join(dataDirectory, 'secrets.json'), 'utf8')) as {
    userContextKey: unknown;
  };
  return secrets.userContextKey;
}

const ask = <Data>(token: string, query: string): Promise<GraphResponse<Data>> =>
  askGraph<Data>(gateway.graph, { query, token });
const codesOf = ({ errors = [] }: GraphResponse<unknown>): readonly string[] =>
  errors.map(({ extensions }) => extensions.code);
const claiming = (claims: JWTPayload): JWTPayload => ({
  scope: 'read:data read:profile write:data',
  ...claims,
});

describe('G4: A token of a further issuer with the sub of another user', () => {
  it('is not that user, and writes nothing of theirs', async () => {
    const before = dataOf(await ask<Me>(ada, ME)).me;
    const sub = decodeJwt(ada).sub ?? '';
    expect(before).toMatchObject({ id: sub, role: 'ADMIN' });
    const mallory = await partner.sign(claiming({ sub, name: 'Mallory' }));
    const { me } = dataOf(await ask<Me>(mallory, ME));
    expect(me).toMatchObject({ name: 'Mallory', role: 'VIEWER', email: null });
    expect(me.id).not.toBe(sub);
    expect(dataOf(await ask<Me>(ada, ME)).me).toEqual(before);
  });

  it('has no role that the issuer may not give', async () => {
    const sub = decodeJwt(ada).sub ?? '';
    const admin = await partner.sign(claiming({ sub, roles: ['ADMIN'] }));
    const { posts } = dataOf(await ask<{ posts: { id: string }[] }>(admin, '{ posts(first: 1) { id } }'));
    const id = posts[0]?.id ?? '';
    expect(codesOf(await ask(admin, `mutation { deletePost(id: "${id}") }`))).toEqual(['FORBIDDEN']);
    expect(codesOf(await ask(admin, 'mutation { createUser(input: { name: "x" }) { id } }'))).toEqual([
      'FORBIDDEN',
    ]);
    expect(dataOf(await ask<{ post: unknown }>(ada, `{ post(id: "${id}") { id } }`)).post).toEqual({ id });
  });

  it('owns what it has written, as a user of its own', async () => {
    const sub = decodeJwt(ada).sub ?? '';
    const own = await partner.sign(claiming({ sub }));
    const { posts } = dataOf(await ask<{ posts: { id: string }[] }>(own, '{ posts(first: 1) { id } }'));
    const written = dataOf(
      await ask<{ addComment: { id: string; author: { id: string } } }>(
        own,
        `mutation { addComment(postId: "${posts[0]?.id}", body: "Mine.") { id author { id } } }`,
      ),
    ).addComment;
    expect(written.author.id).toBe(dataOf(await ask<Me>(own, ME)).me.id);
    const again = await partner.sign(claiming({ sub }));
    expect(dataOf(await ask(again, `mutation { deleteComment(id: "${written.id}") }`))).toEqual({
      deleteComment: true,
    });
  });

  it('gives nothing by default', async () => {
    const token = await guest.sign(claiming({ sub: decodeJwt(ada).sub ?? '', roles: ['ADMIN'] }));
    expect(codesOf(await ask(token, '{ users { id role } }'))).toEqual(['FORBIDDEN']);
    expect(codesOf(await ask(token, ME))).toEqual(['FORBIDDEN']);
  });
});

import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, until } from '@trellis/testkit';
import {
  createUserContextSigner,
  createUserContextVerifier,
  USER_CONTEXT_HEADER,
} from '@trellis/subgraph-protocol';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { RawSocket, startEventGraph, startTestGateway } from '@trellis/gateway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, repository } from './code-blocks.ts';

const PAGE = 'docs/user-context.md';

interface Vectors {
  readonly subgraph: string;
  readonly now: number;
  readonly privateKey: JWK;
  readonly jwks: JSONWebKeySet;
  readonly accepted: readonly {
    readonly name: string;
    readonly token: string;
    readonly sub: string | null;
  }[];
  readonly rejected: readonly { readonly name: string; readonly token: string }[];
}

const vectorsFile = join(repository, 'docs/user-context.vectors.json');
const vectors = JSON.parse(readFileSync(vectorsFile, 'utf8')) as Vectors; // asserted by the tests
const page = readFileSync(join(repository, PAGE), 'utf8');
const blocks = new Map(codeBlocks(PAGE).map(({ language, text }) => [language, text]));
const directory = createTemporaryDirectory();
afterAll(() => directory.remove());

type Verify = (token: string, subgraph: string, keys: JWTVerifyGetKey, now: Date) => Promise<JWTPayload>;
/** The example of the page in TypeScript. */
let verifyByPage: Verify;
beforeAll(async () => {
  const file = join(directory.path, 'user-context.ts');
  writeFileSync(file, blockIn('typescript'));
  symlinkSync(join(repository, 'e2e/node_modules'), join(directory.path, 'node_modules'));
  ({ verifyUserContext: verifyByPage } = (await import(file)) as { verifyUserContext: Verify });
});

function blockIn(language: string): string {
  return blocks.get(language) ?? '';
}

/** What is expected of a verifier: the `sub` of each context, or that it is rejected. */
const expected = [
  ...vectors.accepted.map(({ name, sub }) => [name, sub]),
  ...vectors.rejected.map(({ name }) => [name, 'rejected']),
];
const all = [...vectors.accepted, ...vectors.rejected];

const TYPE_IN_GO = /parsed\.Header\["typ"\] != "trellis-context\+jwt"/;
const TYPE_IN_JAVA =
  /processor\.setJWSTypeVerifier\(\s+new DefaultJOSEObjectTypeVerifier<>\(new JOSEObjectType\("trellis-context\+jwt"\)\)\)/;

/**
 * What decides each vector in the examples that no test runs: an example without one of these would accept or reject what it should
 * not. A vector without a row fails.
 */
const rules: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  go: {
    'a user': /return claims, nil/,
    'an anonymous request': /return claims, nil/,
    'a group with the same roles': /Roles +\[\]string +`json:"roles"`/,
    'expired for four seconds, within the tolerance': /jwt\.WithLeeway\(5\*time\.Second\)/,
    'expired for ten seconds': /jwt\.WithLeeway\(5\*time\.Second\)/,
    'for another subgraph': /jwt\.WithAudience\(subgraph\)/,
    'for no subgraph': /jwt\.WithAudience\(subgraph\)/,
    'an access token': TYPE_IN_GO,
    'differs only in typ': TYPE_IN_GO,
    'without typ': TYPE_IN_GO,
    'another key under the same name': /jwt\.ParseWithClaims\(token, claims, keys\.Keyfunc,/,
    'an unknown key': /jwt\.ParseWithClaims\(token, claims, keys\.Keyfunc,/,
    'no signature': /jwt\.WithValidMethods\(\[\]string\{"ES256"\}\)/,
    'the public key as a shared secret': /jwt\.WithValidMethods\(\[\]string\{"ES256"\}\)/,
    'claims of another': /jwt\.ParseWithClaims\(token, claims, keys\.Keyfunc,/,
    'without an end': /jwt\.WithExpirationRequired\(\)/,
    'without iat': /claims\.IssuedAt == nil/,
    'no token': /if err != nil \{\s+return nil, err/,
  },
  java: {
    'a user': /return processor\.process\(token, null\)/,
    'an anonymous request': /Set\.of\("exp", "iat"\)/, // and no "sub"
    'a group with the same roles': /Set\.of\("exp", "iat"\)/,
    'expired for four seconds, within the tolerance': /claims\.setMaxClockSkew\(5\)/,
    'expired for ten seconds': /claims\.setMaxClockSkew\(5\)/,
    'for another subgraph': /new DefaultJWTClaimsVerifier<SecurityContext>\(subgraph, /,
    'for no subgraph': /new DefaultJWTClaimsVerifier<SecurityContext>\(subgraph, /,
    'an access token': TYPE_IN_JAVA,
    'differs only in typ': TYPE_IN_JAVA,
    'without typ': TYPE_IN_JAVA,
    'another key under the same name': /JWKSourceBuilder\.create\(keys\)\.build\(\)/,
    'an unknown key': /JWKSourceBuilder\.create\(keys\)\.build\(\)/,
    'no signature': /new JWSVerificationKeySelector<>\(JWSAlgorithm\.ES256,/,
    'the public key as a shared secret': /new JWSVerificationKeySelector<>\(JWSAlgorithm\.ES256,/,
    'claims of another': /processor\.setJWSKeySelector\(/,
    'without an end': /processor\.setJWTClaimsSetVerifier\(claims\)/,
    'without iat': /Set\.of\("exp", "iat"\)/,
    'no token': /return processor\.process\(token, null\)/,
  },
  csharp: {
    'a user': /return context;/,
    'an anonymous request': /return context;/,
    'a group with the same roles': /return context;/,
    'expired for four seconds, within the tolerance': /ClockSkew = TimeSpan\.FromSeconds\(5\)/,
    'expired for ten seconds': /ClockSkew = TimeSpan\.FromSeconds\(5\)/,
    'for another subgraph': /ValidAudience = subgraph/,
    'for no subgraph': /ValidAudience = subgraph/,
    'an access token': /ValidTypes = \["trellis-context\+jwt"\]/,
    'differs only in typ': /ValidTypes = \["trellis-context\+jwt"\]/,
    'without typ': /ValidTypes = \["trellis-context\+jwt"\]/,
    'another key under the same name': /IssuerSigningKeys = keys\.GetSigningKeys\(\)/,
    'an unknown key': /IssuerSigningKeys = keys\.GetSigningKeys\(\)/,
    'no signature': /ValidAlgorithms = \["ES256"\]/,
    'the public key as a shared secret': /ValidAlgorithms = \["ES256"\]/,
    'claims of another': /ValidateTokenAsync\(token, _rules\)/,
    'without an end': /RequireExpirationTime = true/,
    'without iat': /TryGetPayloadValue<long>\("iat", out _\)\) throw/,
    'no token': /if \(!result\.IsValid\) throw result\.Exception/,
  },
};

describe('B5: the user context', () => {
  it('the vectors are contexts as the gateway signs them', async () => {
    const [{ token } = { token: '' }] = vectors.accepted;
    const signer = await createUserContextSigner({ privateKey: vectors.privateKey });
    const signed = await signer.sign(
      {
        issuer: 'https://id.example',
        user: {
          id: 'ada',
          roles: ['EDITOR'],
          name: 'Ada Marlow',
          email: 'ada@example.com',
          tokenIssuedAt: vectors.now - 300,
        },
        clientId: 'web',
        scopes: ['openid', 'read:data'],
        policies: ['vetted'],
        grantId: 'grant-1',
      },
      vectors.subgraph,
    );
    expect(decodeProtectedHeader(token)).toEqual(decodeProtectedHeader(signed));
    const times = { iat: vectors.now, exp: vectors.now + 60 };
    expect(decodeJwt(token)).toEqual({ ...decodeJwt(signed), ...times });
    const verifier = createUserContextVerifier({
      subgraph: vectors.subgraph,
      keys: createLocalJWKSet(vectors.jwks),
    });
    expect((await verifier.verify(signed)).user?.id).toBe('ada');
  });

  it('the example in TypeScript accepts and rejects what it should', async () => {
    const keys = createLocalJWKSet(vectors.jwks);
    const now = new Date(vectors.now * 1_000);
    const outcomes = await Promise.all(
      all.map(async ({ name, token }) => [
        name,
        await verifyByPage(token, vectors.subgraph, keys, now).then(
          ({ sub = null }) => sub,
          () => 'rejected',
        ),
      ]),
    );
    expect(outcomes).toEqual(expected);
  });

  it.skipIf(!hasPython())(
    'the example in Python accepts and rejects what it should (skipped without python3 and cryptography)',
    () => {
      writeFileSync(join(directory.path, 'user_context.py'), blockIn('python'));
      const program = `
import json, sys
from user_context import InvalidUserContext, verify_user_context
vectors = json.load(open(sys.argv[1]))
def outcome(token):
    try:
        return verify_user_context(token, vectors["subgraph"], vectors["jwks"], vectors["now"]).get("sub")
    except InvalidUserContext:
        return "rejected"
print(json.dumps([[one["name"], outcome(one["token"])] for one in vectors["accepted"] + vectors["rejected"]]))`;
      const output = execFileSync('python3', ['-c', program, vectorsFile], {
        cwd: directory.path,
        encoding: 'utf8',
      });
      expect(JSON.parse(output)).toEqual(expected);
    },
  );

  it.each(['typescript', 'python', 'go', 'java', 'csharp'])(
    'the example in %s names where keys are and the subgraph that contexts are for',
    (language) => {
      const text = blockIn(language);
      for (const named of ['user-context-jwks.json', 'subgraph']) expect(text).toContain(named);
    },
  );

  it.each(Object.keys(rules))(
    'the example in %s has what decides each vector, read as text (not run: its library is in no registry that tests reach)',
    (language) => {
      const text = blockIn(language);
      const decided = rules[language] ?? {};
      expect(Object.keys(decided).toSorted()).toEqual(all.map(({ name }) => name).toSorted());
      for (const [name, rule] of Object.entries(decided)) expect(text, name).toMatch(rule);
    },
  );

  it.each(
    Object.entries(rules).flatMap(([language, decided]) =>
      [...new Set(Object.values(decided).map(String))].map((rule) => [language, rule] as const),
    ),
  )('the example in %s without what %s finds would not pass', (language, rule) => {
    const found = Object.entries(rules[language] ?? {}).find(([, one]) => String(one) === rule);
    const [line = ''] = found?.[1].exec(blockIn(language)) ?? [];
    expect(line).not.toBe('');
    expect(blockIn(language).replaceAll(line, '')).not.toMatch(found?.[1] ?? /^/);
  });

  it('trellis-timeout-ms is what the page says of it, and anonymous requests have a context too', async () => {
    const graph = await startEventGraph();
    const gateway = await startTestGateway({
      subgraphs: graph.all,
      environment: { USER_CONTEXT_PRIVATE_KEY: JSON.stringify(vectors.privateKey) },
      settings: 'timeouts: { subgraphMs: 1234 }',
    });
    try {
      for (const query of ['{ count }', 'mutation { bump }']) await gateway.post({ query });
      const sent = graph.news.received.map(({ headers }) => headers['trellis-timeout-ms']);
      expect(sent).toHaveLength(2);
      for (const text of sent) {
        expect(text).toMatch(/^\d+$/); // a whole number in decimal digits
        expect(Number(text)).toBeGreaterThan(0);
        expect(Number(text)).toBeLessThanOrEqual(1_234);
      }
      const socket = await RawSocket.connect(`${gateway.url}/graphql`);
      socket.subscribe('1', 'subscription { published { id } }');
      await until(() => graph.news.open() === 1);
      const subscribed = graph.news.subscribed[0]?.extensions?.['headers'];
      const headers = subscribed as Readonly<Record<string, string>>; // the contract says so
      expect(headers).not.toHaveProperty('trellis-timeout-ms');
      socket.close();
      const response = await fetch(`${gateway.url}/.well-known/user-context-jwks.json`);
      const keys = createLocalJWKSet((await response.json()) as JSONWebKeySet);
      const tokens = [
        ...graph.news.received.map((one) => one.headers[USER_CONTEXT_HEADER]),
        headers[USER_CONTEXT_HEADER],
      ];
      for (const token of tokens)
        expect((await verifyByPage(String(token), 'news', keys, new Date())).sub).toBeUndefined();
      for (const said of [
        '`trellis-timeout-ms`',
        'a whole number in decimal digits',
        'Subscriptions have none',
      ])
        expect(page).toContain(said);
    } finally {
      await gateway.close();
      await graph.close();
    }
  });

  it('the page names header, algorithm, type and each claim', () => {
    const token = vectors.accepted[0]?.token ?? '';
    const claims = Object.keys(decodeJwt(token));
    const { alg, typ } = decodeProtectedHeader(token);
    for (const name of [...claims, String(alg), String(typ), USER_CONTEXT_HEADER])
      expect(page, name).toContain(`\`${name}\``);
  });
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

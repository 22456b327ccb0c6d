import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
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
import { afterAll, describe, expect, it } from 'vitest';
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

function blockIn(language: string): string {
  return blocks.get(language) ?? '';
}

/** What is expected of a verifier: the `sub` of each context, or that it is rejected. */
const expected = [
  ...vectors.accepted.map(({ name, sub }) => [name, sub]),
  ...vectors.rejected.map(({ name }) => [name, 'rejected']),
];
const all = [...vectors.accepted, ...vectors.rejected];

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
    const file = join(directory.path, 'user-context.ts');
    writeFileSync(file, blockIn('typescript'));
    symlinkSync(join(repository, 'e2e/node_modules'), join(directory.path, 'node_modules'));
    const { verifyUserContext } = (await import(file)) as {
      verifyUserContext: (
        token: string,
        subgraph: string,
        keys: JWTVerifyGetKey,
        now: Date,
      ) => Promise<JWTPayload>;
    };
    const keys = createLocalJWKSet(vectors.jwks);
    const now = new Date(vectors.now * 1_000);
    const outcomes = await Promise.all(
      all.map(async ({ name, token }) => [
        name,
        await verifyUserContext(token, vectors.subgraph, keys, now).then(
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
    'the example in %s names what is checked',
    (language) => {
      const text = blockIn(language);
      const header = decodeProtectedHeader(vectors.accepted[0]?.token ?? '');
      for (const checked of [header.alg, header.typ, 'iat', 'exp', 'user-context-jwks.json', 'subgraph'])
        expect(text.toLowerCase().replace('issuedat', 'iat'), checked).toContain(
          String(checked).toLowerCase(),
        );
      expect(text).toMatch(/audience|aud|DefaultJWTClaimsVerifier<SecurityContext>\(subgraph/i);
    },
  );

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

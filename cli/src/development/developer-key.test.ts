import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestUserContext, createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { createUserContextSigner, createUserContextVerifier } from '@trellis/subgraph-protocol';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trellis } from '../../testing/run-command.ts';
import { openDeveloperKey } from './developer-key.ts';

let directory: TemporaryDirectory;
beforeAll(() => void (directory = createTemporaryDirectory()));
afterAll(() => directory.remove());
const at = (name: string): string => join(directory.path, name);

describe('A developer’s own key', () => {
  it('is made once, for its owner alone, and trellis dev --print-key prints what verifies it', async () => {
    const file = at('folder/key.json');
    const [first, second] = [
      await trellis('dev', '--print-key', '--key', file),
      await trellis('dev', '--print-key', '--key', file),
    ];
    expect([first.status, first.error, second.out]).toEqual([0, '', first.out]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const printed = JSON.parse(first.out) as JSONWebKeySet;
    expect(printed.keys.map((key) => Object.keys(key).toSorted())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
    const { privateKey } = await openDeveloperKey(file);
    const signer = await createUserContextSigner({ privateKey: JSON.parse(privateKey) as object });
    const context = { scopes: ['read:data'] };
    const verifier = createUserContextVerifier({ subgraph: 'likes', keys: createLocalJWKSet(printed) });
    expect(await verifier.verify(await signer.sign(context, 'likes'))).toEqual(context);
  });

  it.each([
    ['text', 'key', 'is no JSON.'],
    ['null', 'null', 'holds no private JWK of curve P-256.'],
    ['a public key', 'public', 'holds no private JWK of curve P-256.'],
  ])('is not read from a file with %s', async (name, text, problem) => {
    const file = at(name);
    const { jwks } = await createTestUserContext();
    writeFileSync(file, text === 'public' ? JSON.stringify(jwks.keys[0]) : text);
    await expect(openDeveloperKey(file)).rejects.toThrow(`${file} ${problem}`);
    expect(existsSync(file)).toBe(true);
  });
});

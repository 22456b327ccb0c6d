import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createUserContextSigner } from '@trellis/subgraph-protocol';
import type { JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { generateSecrets } from './generate-secrets.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

describe('Generated secrets', () => {
  it('are the variables that docker-compose.yml has no default for', async () => {
    const text = readFileSync(join(repository, 'docker-compose.yml'), 'utf8');
    const demanded = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    expect(Object.keys(await generateSecrets()).toSorted()).toEqual([...demanded].toSorted());
  });

  it('can stand in a URL and in a shell, are long, and are new each time', async () => {
    const secrets = Object.values(await generateSecrets());
    const [keys, words] = [secrets.filter(isJson), secrets.filter((secret) => !isJson(secret))];
    for (const word of words) expect(word).toMatch(/^[\w-]{43}$/);
    for (const key of keys) expect(key).not.toContain("'");
    const again = Object.values(await generateSecrets());
    expect(again.filter((secret) => secrets.includes(secret))).toEqual([]);
  });

  it('hold a key for each service, and a set that knows them all', async () => {
    const secrets = await generateSecrets();
    const names = ['USERS', 'POSTS', 'COMMENTS', 'SEARCH'];
    const kids = names.map((name) => (JSON.parse(secrets[`${name}_SERVICE_PRIVATE_KEY`] ?? '') as JWK).kid);
    const { keys } = JSON.parse(secrets['SERVICE_JWKS'] ?? '') as { keys: JWK[] };
    expect(kids).toEqual(['users', 'posts', 'comments', 'search']);
    expect(keys.map(({ kid }) => kid)).toEqual(kids);
    expect(keys.filter((key) => 'd' in key)).toEqual([]);
  });

  it('hold a key that signs contexts for subgraphs', async () => {
    const { USER_CONTEXT_PRIVATE_KEY: key = '' } = await generateSecrets();
    const signer = await createUserContextSigner({ privateKey: JSON.parse(key) as JWK });
    expect(await signer.sign({ scopes: [] }, 'posts')).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/);
  });
});

function isJson(secret: string): boolean {
  return secret.startsWith('{');
}

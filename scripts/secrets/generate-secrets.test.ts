import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createUserContextSigner } from '@trellis/user-context';
import type { JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { generateSecrets } from './generate-secrets.ts';

describe('Generated secrets', () => {
  it('are the variables that docker-compose.yml has no default for', async () => {
    const text = readFileSync(join(repository, 'docker-compose.yml'), 'utf8');
    const demanded = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    expect(Object.keys(await generateSecrets()).toSorted()).toEqual([...demanded].toSorted());
  });

  it('can stand in a URL and in a shell, are long, and are new each time', async () => {
    const { USER_CONTEXT_PRIVATE_KEY: key = '', ...secrets } = await generateSecrets();
    for (const secret of Object.values(secrets)) expect(secret).toMatch(/^[\w-]{43}$/);
    expect(key).not.toContain("'");
    const again = Object.values(await generateSecrets());
    expect(again.filter((secret) => Object.values(secrets).includes(secret))).toEqual([]);
  });

  it('hold a key that signs contexts for subgraphs', async () => {
    const { USER_CONTEXT_PRIVATE_KEY: key = '' } = await generateSecrets();
    const signer = await createUserContextSigner({ privateKey: JSON.parse(key) as JWK });
    expect(await signer.sign({ scopes: [] }, 'posts')).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/);
  });
});

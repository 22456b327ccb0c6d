import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandEnvironment } from '../command-environment.ts';
import { serveRegistry } from './serve-registry.ts';
import { boundToken } from '../../testing/bound-token.ts';
import { RegistryStage } from '../../testing/registry-stage.ts';

let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
});

afterAll(() => stage.close());

describe('A registry over HTTP', () => {
  it('is served with its secrets in files', async () => {
    const { DATABASE_URL = '', TRELLIS_SIGNING_KEY = '', ...others } = stage.serverEnvironment;
    const [url, key] = [join(stage.folder, 'database-url'), join(stage.folder, 'signing-key')];
    writeFileSync(url, `${DATABASE_URL}\n`);
    writeFileSync(key, `${TRELLIS_SIGNING_KEY}\n`);
    const files = { ...others, DATABASE_URL_FILE: url, TRELLIS_SIGNING_KEY_FILE: key };
    const { url: address, close } = await serveRegistry({ port: '0' }, commandEnvironment(files));
    expect((await fetch(address)).status).toBeGreaterThanOrEqual(400); // it asks for a token
    await close();
  });

  it('takes proofs for its public address alone, where it has one: not for what a request says of itself', async () => {
    const publicUrl = 'https://registry.example/releases';
    const behind = await serveRegistry({ port: '0', publicUrl: `${publicUrl}/` }, stage.serverEnvironment);
    const { token, prove } = await boundToken(stage);
    const send = async (htu: string): Promise<number> => {
      const headers = { authorization: `DPoP ${token}`, dpop: await prove('GET', htu, token) };
      return (await fetch(`${behind.url}/v1/logs`, { headers })).status;
    };
    try {
      expect(await send(`${publicUrl}/v1/logs`)).toBe(200);
      expect(await send(`${behind.url}/v1/logs`)).toBe(401);
      expect(await send('http://registry.example/releases/v1/logs')).toBe(401);
      expect(await send(`${publicUrl}/v1/other`)).toBe(401);
    } finally {
      await behind.close();
    }
    await expect(serveRegistry({ publicUrl: 'registry.example' }, stage.serverEnvironment)).rejects.toThrow(
      '--public-url takes an http or https URL',
    );
  });
});

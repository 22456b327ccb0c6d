import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RegistryStage } from '../../testing/registry-stage.ts';

const TWICE = '{"name":"posts","sdl":"","source":""}';
let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
});

afterAll(() => stage.close());

describe('A registry over HTTP', () => {
  it.each([
    ['a body that is none', 400, '{"set":1}'],
    [
      'a name that is none',
      400,
      '{"set":[{"name":"__proto__","sdl":"","source":""}],"remove":[],"isWhole":false}',
    ],
    ['no JSON', 400, '{'],
    [
      'an address that is none',
      400,
      '{"set":[{"name":"late","sdl":"","source":"","routingUrl":"ftp://late.test"}],"remove":[],"isWhole":false}',
    ],
    ['a subgraph that is named twice', 400, `{"set":[${TWICE},${TWICE}],"remove":[],"isWhole":false}`],
  ])('rejects %s with %i', async (_title, status, body) => {
    const url = `${stage.registry.url}/v1/graphs/content/environments/production/publications`;
    const headers = await stage.headersOf('operator', 'POST', url);
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(status);
  });

  it.each(['records/abc', 'records/0', 'head?after=-1', 'head?waitS=9999'])(
    'rejects the address %s',
    async (path) => {
      const headers = { authorization: `Bearer ${await stage.tokenOf('reader')}` };
      const url = `${stage.registry.url}/v1/graphs/content/environments/production/${path}`;
      expect((await fetch(url, { headers })).status).toBe(400);
    },
  );
});

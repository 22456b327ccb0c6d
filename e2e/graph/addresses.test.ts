import { describe, expect, it } from 'vitest';
import { askGraph, postGraph } from '../harness/ask-graph.ts';
import { readMetrics, sumOf } from '../harness/read-metrics.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { addresses } = sharedPlatform();
const servers = { gateway: addresses.gateway, 'auth-server': addresses.issuer, ...addresses.subgraphs };

describe('Every deployable', () => {
  it.each(Object.entries(servers))('serves its health: %s', async (_name, address) => {
    for (const path of ['/health/live', '/health/ready'])
      expect((await fetch(`${address}${path}`)).status).toBe(200);
  });

  it.each(Object.entries(servers))('keeps its metrics off its public port: %s', async (_name, address) => {
    expect((await fetch(`${address}/metrics`)).status).toBe(404);
  });

  it.each(Object.entries(servers))('says nothing of what it is made of: %s', async (_name, address) => {
    const response = await fetch(`${address}/nowhere`);
    expect(response.status).toBe(404);
    for (const header of ['server', 'x-powered-by']) expect(response.headers.has(header)).toBe(false);
    expect(await response.text()).not.toMatch(/node_modules|\.ts:\d|<html/i);
  });
});

describe('The operations port', () => {
  it('has the metrics of all deployables and of the process', async () => {
    const series = await readMetrics(addresses.operations);
    const services = new Set(series.map(({ labels }) => labels['service']));
    for (const service of ['gateway', 'auth-server', 'users', 'posts', 'comments'])
      expect(services).toContain(service);
    expect(sumOf(series, 'process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('counts what the gateway answers, by outcome', async () => {
    const count = async (): Promise<number> =>
      sumOf(await readMetrics(addresses.operations), 'trellis_gateway_operations_total', {
        outcome: 'UNAUTHENTICATED',
      });
    const before = await count();
    await askGraph(addresses.graph, { query: '{ users { id } }' });
    expect(await count()).toBe(before + 1);
  });
});

describe('A subgraph that is called past the gateway', () => {
  it.each(Object.entries(addresses.subgraphs))(
    'rejects, whatever is asked and claimed: %s (S-041)',
    async (_name, address) => {
      const forged = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"aud":"users"}').toString('base64url')}.`;
      for (const headers of [
        {},
        { 'trellis-user-context': forged },
        { authorization: `Bearer ${forged}` },
        { 'x-user-id': 'ada' },
      ]) {
        for (const query of [
          '{ __schema { types { name } } }',
          '{ _entities(representations: []) { __typename } }',
          '{ __typename users { id } }',
        ]) {
          const response = await postGraph(`${address}/graphql`, { query }, { headers });
          expect(response.status).toBe(401);
          const { errors, data } = (await response.json()) as {
            errors: { extensions: unknown }[];
            data?: unknown;
          };
          expect(data ?? null).toBeNull();
          expect(errors[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED' });
        }
      }
    },
  );

  it.each(Object.entries(addresses.subgraphs))(
    'serves its schema in development, for composition: %s',
    async (_name, address) => {
      const response = await postGraph(`${address}/graphql`, { query: '{ _service { sdl } }' });
      expect(response.status).toBe(200);
      expect(JSON.stringify(await response.json())).toContain('@key');
    },
  );
});

describe('Ports', () => {
  it('are those of the environment: the key that signs contexts is public at the gateway', async () => {
    const response = await fetch(`${addresses.gateway}/.well-known/user-context-jwks.json`);
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty('d');
  });
});

import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLibrary, type Library } from '../fixtures/library.ts';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { startGateway, type GatewayProcess } from '../harness/gateway-process.ts';

describe('npm run gateway over running subgraphs', () => {
  const directory = createTemporaryDirectory();
  let library: Library;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    library = await openLibrary(directory.path);
    const { catalogue, opinions } = library;
    gateway = await startGateway({ supergraph: { catalogue: catalogue.url, opinions: opinions.url } });
  });

  afterAll(async () => {
    await gateway.stop();
    await library.close();
    directory.remove();
  });

  it('needs no supergraph: it composes what they say of themselves', async () => {
    const response = await askGraph<{ books: readonly unknown[] }>(gateway.graph, {
      query: '{ books { title likes } }',
    });
    expect(dataOf(response).books).toContainEqual({ title: 'Salt and Paper', likes: 20 });
  });
});

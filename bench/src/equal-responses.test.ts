import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { differingResponses } from './equal-responses.ts';
import { newOperation } from './operations.ts';
import type { Scenario } from './scenarios.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

interface Asked {
  readonly name: string;
  readonly url: string;
}

/** A target with fixed responses. */
async function target(name: string, result: (query: string) => string): Promise<Asked> {
  const server = createServer((request, response) => {
    void text(request).then((body) => response.end(result((JSON.parse(body) as { query: string }).query)));
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { name, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

const scenario: Scenario = {
  name: 'many',
  operation: (index) => newOperation(index),
  compared: 5,
  connections: 1,
  requests: 5,
};
const good = (query: string): string => JSON.stringify({ data: { query, more: 1 } });

describe('Answers that are not equal', () => {
  it('are noticed in each operation that is compared', async () => {
    const targets = await Promise.all([
      target('trellis', good),
      target('equal', good),
      target('wrong once', (query) =>
        query.includes('n4:') ? '{"data":{"query":"","more":1}}' : good(query),
      ),
      target('otherwise', (query) => JSON.stringify({ data: { more: 1, query } })),
      target('failing', (query) =>
        JSON.stringify({ data: { query, more: 1 }, errors: [{ message: 'No.' }] }),
      ),
      target('wrong later', (query) => (query.includes('n5:') ? '{"data":null}' : good(query))),
    ]);
    expect(await differingResponses(targets, [scenario])).toEqual([
      { scenario: 'many', target: 'wrong once', kind: 'answers something else' },
      { scenario: 'many', target: 'otherwise', kind: 'orders the members otherwise' },
      { scenario: 'many', target: 'failing', kind: 'answers something else' },
    ]);
  });

  it('are none where a target is not asked', async () => {
    const targets = [await target('trellis', good), await target('floor', () => '{"data":{}}')];
    expect(await differingResponses(targets, [{ ...scenario, without: ['floor'] }])).toEqual([]);
  });

  it('are ours where the parts do not add up to the whole', async () => {
    const targets = [await target('trellis', good)];
    const deferred: Scenario = { ...scenario, accept: 'multipart/mixed', whole: newOperation(9) };
    await expect(differingResponses(targets, [deferred])).rejects.toThrow(/Our response to "many"/);
  });
});

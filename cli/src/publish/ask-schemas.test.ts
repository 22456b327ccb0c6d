import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askSchemas } from './ask-schemas.ts';

const SDL = print(gql`
  type Query {
    me: Int
  }
`);
const LARGE = `${SDL} #${'x'.repeat(8 * 1024 * 1024)}`;
const nothing = { headers: {}, origins: new Set<string>() };

let inFlight = 0;
let most = 0;
const server = createServer(async (request, response) => {
  inFlight += 1;
  most = Math.max(most, inFlight);
  await wait(20);
  inFlight -= 1;
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ data: { _service: { sdl: request.url === '/large' ? LARGE : SDL } } }));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

const at = (name: string, path: string) => {
  const { port } = server.address() as AddressInfo; // it listens at a port
  return { name, routingUrl: `http://127.0.0.1:${port}${path}` };
};

describe('Subgraphs that are asked for their schemas', () => {
  it('are asked eight at a time, all of them', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `s${index}`);
    const { schemas, unknown } = await askSchemas(
      names.map((name) => at(name, '/')),
      nothing,
    );
    expect([[...schemas.keys()], unknown, most]).toEqual([names, [], 8]);
  });

  it('are unknown where their schema is larger than a registry takes: the change is not rejected for it', async () => {
    const { schemas, unknown } = await askSchemas([at('small', '/'), at('large', '/large')], nothing);
    expect([[...schemas.keys()], unknown]).toEqual([
      ['small'],
      ['large may run as published before, and as it will be: Its schema has more than 8 MiB.'],
    ]);
  });
});

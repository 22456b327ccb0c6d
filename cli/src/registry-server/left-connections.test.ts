import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { TokenOutcome } from '@trellis/gateway/token-authentication';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callerOf,
  createRegistryTables,
  serverFor,
  type RegistryTables,
} from '../../testing/registry-stage.ts';

let tables: RegistryTables;

beforeAll(async () => {
  tables = await createRegistryTables();
});

afterAll(() => tables.close());

const LOG = '/v1/graphs/left/environments/test';
const SCOPES = ['graph:read', 'graph:publish:*'];

/** A server that has the first request left by its client while it is asked who it is, and goes on with it then. */
async function serverThatIsLeft(head: string, limits: object) {
  let goOn = (): void => undefined;
  const asked = new Promise<void>((resolve) => (goOn = resolve));
  let count = 0;
  const authenticate = async (): Promise<TokenOutcome> => {
    count += 1;
    if (count === 1) await asked;
    return { kind: 'caller', caller: callerOf('leaving', SCOPES) };
  };
  const server = await serverFor(tables.pool, SCOPES, { authenticate, limits });
  const base = await server.listen({ port: 0, host: '127.0.0.1' });
  const first = once(server.server, 'request');
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.write(`${head}\r\nhost: registry.test\r\n\r\n`);
  const [, response] = (await first) as [IncomingMessage, ServerResponse]; // of Node's http
  const closed = once(response, 'close');
  socket.destroy();
  await closed;
  goOn();
  return { base, server };
}

describe('A client that leaves while it is asked who it is', () => {
  it('holds no bytes of changes', async () => {
    const head = `POST ${LOG}/publications HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 80`;
    const { base, server } = await serverThatIsLeft(head, { bytesOfClient: 100 });
    const body = JSON.stringify({ set: [], filler: 'x'.repeat(58) });
    const headers = { 'content-type': 'application/json' };
    const statuses = new Set<number>();
    for (let count = 0; count < 20; count += 1)
      statuses.add((await fetch(`${base}${LOG}/publications`, { method: 'POST', headers, body })).status);
    expect([body.length, [...statuses]]).toEqual([80, [400]]);
    await server.close();
  });

  it('is no reader that waits', async () => {
    const head = `GET ${LOG}/head?after=0&waitS=30 HTTP/1.1`;
    const { base, server } = await serverThatIsLeft(head, { waitingOfClient: 1 });
    const statuses = new Set<number>();
    for (let count = 0; count < 20; count += 1)
      statuses.add((await fetch(`${base}${LOG}/head?after=0&waitS=0.01`)).status);
    expect([...statuses]).toEqual([200]);
    await server.close();
  });
});

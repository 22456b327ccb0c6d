import { once } from 'node:events';
import { Agent, request as sendRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../telemetry/logger.ts';
import { discardBody } from './discard-body.ts';
import { createHttpServer } from './http-server.ts';

const MEBIBYTE = 1_048_576;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** A server that takes bodies of one kilobyte. */
async function listen(): Promise<number> {
  const server = createHttpServer({
    logger: createLogger({ service: 'test', level: 'silent' }),
    maxBodyBytes: 1_024,
  });
  server.setErrorHandler((error: { readonly statusCode?: number }, request, reply) => {
    discardBody(request, reply);
    return reply.status(error.statusCode ?? 500).send();
  });
  server.post('/', (_request, reply) => reply.status(204).send());
  onTestFinished(() => server.close());
  await server.listen({ port: 0, host: '127.0.0.1' });
  return (server.server.address() as AddressInfo).port; // it listens on TCP
}

function post(port: number, bytes: number): ClientRequest {
  const headers = { 'content-type': 'application/json', 'content-length': bytes };
  return sendRequest({ port, host: '127.0.0.1', method: 'POST', agent, headers });
}

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}

describe('A body that is too large', () => {
  it('is rejected before it has arrived, and the connection goes on behind it', async () => {
    const port = await listen();
    const large = post(port, 3 * MEBIBYTE);
    large.flushHeaders();
    const { statusCode, headers } = await responseTo(large);
    expect([statusCode, headers.connection]).toEqual([413, undefined]);
    large.end(Buffer.alloc(3 * MEBIBYTE, ' '));
    await once(large, 'close');
    const next = post(port, 2);
    next.end('{}');
    expect((await responseTo(next)).statusCode).toBe(204);
    expect(next.reusedSocket).toBe(true);
  });

  it('costs the connection where it is longer than 16 MiB', async () => {
    const large = post(await listen(), 16 * MEBIBYTE + 1);
    large.on('error', () => undefined); // it is still sending
    large.flushHeaders();
    const { statusCode, headers } = await responseTo(large);
    expect([statusCode, headers.connection]).toEqual([413, 'close']);
    large.destroy();
  });
});

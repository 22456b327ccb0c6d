import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKeySetServer, type KeySetServer } from '../testing/key-set-server.ts';
import { createAddressGuard } from './address-guard.ts';
import { sendGuarded, type GuardedRequest, type GuardedResponse } from './guarded-request.ts';

let server: KeySetServer;
beforeAll(async () => {
  server = await startKeySetServer();
});
afterAll(() => server.close());

const loopback = createAddressGuard({ loopback: true, networks: [] });
const closed = createAddressGuard({ loopback: false, networks: [] });

function send(changes: Partial<GuardedRequest> = {}, guard = loopback): Promise<GuardedResponse> {
  const { signal } = new AbortController();
  return sendGuarded({ method: 'GET', url: new URL(server.uri), maxBytes: 1_000, signal, ...changes }, guard);
}

describe('A request to an address that someone has named', () => {
  it('brings status and body', async () => {
    expect(await send()).toEqual({ status: 200, body: '{"keys":[]}' });
    expect(await send({ maxBytes: 0 })).toEqual({ status: 200, body: '' });
    await expect(send({ maxBytes: 10 })).rejects.toThrow('more than 10 bytes');
  });

  it.each([
    ['sends nothing', () => undefined],
    ['sends its head alone', (response: { flushHeaders(): void }) => response.flushHeaders()],
  ])('is given up at its deadline where a server %s', async (_what, how) => {
    server.respond(how);
    await expect(send({ deadlineMs: 50 })).rejects.toThrow(/timeout|aborted/);
  });

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://[::ffff:127.0.0.1]/',
    'https://192.168.1.1/',
    'http://0.0.0.0/',
  ])('is not sent to %s', async (url) => {
    await expect(send({ url: new URL(url) }, closed)).rejects.toThrow('to which no requests may be sent');
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawConnection } from './raw-connection.ts';
import { connect, type RunningServer, type ServerKind } from './servers.ts';

const PASSWORD = 'pässword:@/ %';

/** A server with a password. */
export function describeAccess(kind: ServerKind): void {
  let server: RunningServer;
  beforeAll(async () => {
    server = await kind.start(PASSWORD);
  });
  afterAll(() => server.stop());

  it.each([2, 3] as const)('accepts clients that send the password, in RESP%d', async (protocol) => {
    const redis = await connect(server, { password: PASSWORD, protocol });
    expect(await redis.set('k', 'v')).toBe('OK');
    redis.disconnect();
  });

  it('rejects all other clients', async () => {
    const raw = await RawConnection.open(server);
    raw.request('GET', 'k');
    expect(await raw.until('\r\n')).toBe('-NOAUTH Authentication required.\r\n');
    raw.request('AUTH', 'wrong');
    expect(await raw.until('\r\n')).toBe(
      '-WRONGPASS invalid username-password pair or user is disabled.\r\n',
    );
    raw.request('AUTH', 'another-user', PASSWORD);
    expect(await raw.until('\r\n')).toBe(
      '-WRONGPASS invalid username-password pair or user is disabled.\r\n',
    );
    raw.request('HELLO', '3');
    expect(await raw.until('\r\n')).toMatch(
      /^-NOAUTH HELLO must be called with the client already authenticated/,
    );
    raw.request('NOSUCH');
    expect(await raw.until('\r\n')).toMatch(/^-(NOAUTH|ERR unknown command)/);
    raw.request('AUTH', PASSWORD);
    expect(await raw.until('\r\n')).toBe('+OK\r\n');
    expect(await raw.ask('PING')).toBe('+PONG\r\n');
    raw.close();
  });

  it('takes name and password, and HELLO with both', async () => {
    const raw = await RawConnection.open(server);
    raw.request('HELLO', '3', 'AUTH', 'default', 'wrong');
    expect(await raw.until('\r\n')).toMatch(/^-WRONGPASS/);
    raw.request('HELLO', '3', 'AUTH', 'default', PASSWORD, 'SETNAME', 'me');
    await raw.until('*0\r\n');
    expect(await raw.ask('PING')).toBe('+PONG\r\n');
    raw.close();
  });

  it('reads little from clients that have not sent it', async () => {
    for (const [bytes, complaint] of [
      ['*11\r\n', '-ERR Protocol error: unauthenticated multibulk length\r\n'],
      ['*2\r\n$4\r\nAUTH\r\n$20000\r\n', '-ERR Protocol error: unauthenticated bulk length\r\n'],
    ] as const) {
      const raw = await RawConnection.open(server);
      raw.write(bytes);
      expect(await raw.untilClosed()).toBe(complaint);
    }
  });
}

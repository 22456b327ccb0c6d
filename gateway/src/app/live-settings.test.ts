import { connect as connectTo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentedSettings } from '../settings/describe-setting.ts';
import { settingTable } from '../settings/settings.ts';
import { identityRows } from '../testing/reloads/identity-rows.ts';
import { settingsAt, type LiveRows } from '../testing/reloads/live-row.ts';
import { loadRows } from '../testing/reloads/load-rows.ts';
import { registryRows } from '../testing/reloads/registry-rows.ts';
import { startRegistryWorld, type RegistryWorld } from '../testing/reloads/registry-world.ts';
import { startReloadWorld, type ReloadWorld } from '../testing/reloads/reload-world.ts';
import { subgraphRows } from '../testing/reloads/subgraph-rows.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { operationRows } from '../testing/reloads/operation-rows.ts';
import { streamRows } from '../testing/reloads/stream-rows.ts';
import { transportRows } from '../testing/reloads/transport-rows.ts';
import { usageRows } from '../testing/reloads/usage-rows.ts';

/** Those with a value of their own: a group changes when one of its members does. */
const LIVE_KEYS = documentedSettings(settingTable)
  .filter(({ reload, setting }) => reload === 'live' && !('members' in setting))
  .map(({ key }) => key);

let world: ReloadWorld & { close(): Promise<void> };
let registries: RegistryWorld;
let rows: LiveRows;

beforeAll(async () => {
  [world, registries] = await Promise.all([startReloadWorld(), startRegistryWorld()]);
  rows = {
    ...subgraphRows,
    ...identityRows(world),
    ...loadRows(world),
    ...operationRows,
    ...streamRows,
    ...transportRows(world),
    ...usageRows(world),
    ...registryRows(registries),
  };
});
afterAll(() => Promise.all([world.close(), registries.close()]));

describe('A setting that is live', () => {
  it.each(LIVE_KEYS)('holds from the reload on that changes it, and no longer than that: %s', async (key) => {
    const row = rows[key];
    if (!row) throw new Error(`Say in testing/reloads/ by what one sees that a reload applies ${key}.`);
    const seen: unknown[] = [];
    await world.gateway.reload({}); // what is the same as for the row before would be remembered
    for (const value of [row.from, row.to, row.from]) {
      const settings = settingsAt(key, value, row);
      await world.gateway.reload(settings);
      seen.push(await row.see(world, settings));
    }
    const [before, after, again] = seen;
    expect(after).not.toEqual(before);
    expect(again).toEqual(before);
  });

  it('has the only rows that there are', () => {
    expect(Object.keys(rows).filter((key) => !LIVE_KEYS.includes(key))).toEqual([]);
  });
});

/** Whether a request whose body does not come is ended in good time. */
function isArrivalBounded(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(
        'POST /graphql HTTP/1.1\r\nhost: localhost\r\ndpop: none\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
      );
    });
    const timer = setTimeout(() => socket.destroy(), 1_600);
    socket.on('error', () => undefined); // `close` follows
    socket.on('data', () => clearTimeout(timer));
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(socket.bytesRead > 0));
  });
}

describe('What runs when a setting changes', () => {
  const issuerOf = ({ issuer }: ReloadWorld, more: object = {}): object => ({
    authentication: {
      issuers: [{ issuer: issuer.issuer, audience: 'graph', jwksUrl: issuer.jwksUrl, ...more }],
    },
  });
  const connect = async (claims?: object): Promise<RawSocket> => {
    const payload = claims && { authorization: `Bearer ${await world.issuer.sign({ ...claims })}` };
    return RawSocket.connect(`${world.gateway.url}/graphql`, payload);
  };

  it('ends with the token that a reload no longer accepts, though the keys of its issuer are the same', async () => {
    await world.gateway.reload(issuerOf(world));
    const [theirs, anonymous] = [await connect({ aud: 'graph' }), await connect()];
    await world.gateway.reload(issuerOf(world, { audience: 'another graph' }));
    expect(await theirs.closed).toEqual({ code: 4403, reason: 'Forbidden' });
    anonymous.subscribe('1', '{ open }');
    expect(await anonymous.next()).toMatchObject({ type: 'next' });
    anonymous.close();
  });

  it('goes on with a token that is as good as before, and needs no new verification', async () => {
    await world.gateway.reload(issuerOf(world));
    const { authenticator } = world.inside().configuration.services;
    const socket = await connect({ aud: 'graph' });
    await world.gateway.reload({ ...issuerOf(world), limits: { depth: 9 } });
    expect(world.inside().configuration.services.authenticator).toBe(authenticator);
    socket.subscribe('1', '{ open }');
    expect(await socket.next()).toMatchObject({ type: 'next' });
    socket.close();
  });

  it('is a live query with another interval from its next tick on', async () => {
    await world.gateway.reload({ live: { minIntervalMs: 1, intervalMs: 30 } });
    const socket = await connect();
    socket.subscribe('1', 'query @live { open }');
    await until(() => world.graph.desk.received.length > 3);
    await world.gateway.reload({ live: { minIntervalMs: 1, intervalMs: 60_000 } });
    await pause(500); // the next tick was due before, and has been resolved
    world.graph.desk.forget();
    await pause(120);
    expect(world.graph.desk.received).toHaveLength(0);
    socket.close();
  });

  it('is a request that has to arrive in the time of timeouts.requestMs', async () => {
    await world.gateway.reload({});
    const arrival = isArrivalBounded(world.gateway.url);
    await world.gateway.reload({ timeouts: { requestMs: 50 } });
    expect(await arrival).toBe(true);
    await world.gateway.reload({});
    expect(await isArrivalBounded(world.gateway.url)).toBe(false);
  });

  it('is a subscription that ends or goes on after a gap as the setting says then', async () => {
    await world.gateway.reload({ subscriptions: { afterGap: 'continue' } });
    const { news } = world.graph;
    const socket = await connect();
    socket.subscribe('1', 'subscription { published { id } }');
    await until(() => news.open() === 1);
    await world.gateway.reload({});
    news.breakSockets();
    expect(await socket.next()).toMatchObject({ type: 'error' });
    socket.close();
  });
});

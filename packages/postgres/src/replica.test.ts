import { startTestReplicatedPostgres, type TestReplicatedPostgres } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPool, type Pool } from './pool.ts';
import { connectReplica, type Replica, type ReplicaOptions, type ReplicaState } from './replica.ts';
import { queryChecked } from './statements.ts';

const MAX_LAG_MS = 1_000;
const WITHIN = { timeout: 20_000, interval: 20 };

let servers: TestReplicatedPostgres;
let primary: Pool;
let replica: Replica;
const states: ReplicaState[] = [];
const causes: unknown[] = [];
const targets: string[] = [];

function optionsOf(connectionString: string): ReplicaOptions {
  return {
    primary,
    connectionString,
    schema: 'notes',
    maxLagMs: MAX_LAG_MS,
    onState: (state, { cause }) => {
      states.push(state);
      if (cause !== undefined) causes.push(cause);
    },
    onRead: (target) => targets.push(target),
  };
}
const connect = (connectionString: string): Replica => connectReplica(optionsOf(connectionString));

beforeAll(async () => {
  servers = await startTestReplicatedPostgres();
  primary = createPool({ connectionString: servers.primary, schema: 'notes' });
  await primary.query('CREATE SCHEMA notes');
  await primary.query('CREATE TABLE note (id serial, text text)');
  replica = connect(servers.replica);
});
afterAll(async () => {
  await replica.close();
  await primary.end();
  await servers.stop();
});
afterEach(() => {
  states.length = 0;
  causes.length = 0;
  targets.length = 0;
});

const write = (text: string) => primary.query('INSERT INTO note (text) VALUES ($1)', [text]);
const read = (from: Replica = replica): Promise<readonly string[]> =>
  from.read(async (database) =>
    (await queryChecked(database, { text: 'text' }, 'SELECT text FROM note ORDER BY id')).map(
      ({ text }) => text,
    ),
  );
const becomes = (state: ReplicaState): Promise<void> =>
  vi.waitFor(() => expect(replica.state).toBe(state), WITHIN);

describe('a streaming replica', () => {
  it('is read from once it is known to have caught up, and what it has is no older than it says', async () => {
    await write('first');
    await becomes('caught up');
    // A moment ago it may have had no table: such a read is done again at the primary.
    await vi.waitFor(async () => {
      expect(await read()).toEqual(['first']);
      expect(targets.at(-1)).toBe('replica');
    }, WITHIN);
    expect(replica.lagMs).toBeLessThanOrEqual(MAX_LAG_MS);
  });

  it('is read from while it lags within the bound', async () => {
    await servers.delayReplay(400);
    let attempt = 0;
    const writeAndRead = async (): Promise<void> => {
      attempt += 1; // the server takes up its settings a little later
      await write(`delayed ${attempt}`);
      expect(await read()).not.toContain(`delayed ${attempt}`);
    };
    await vi.waitFor(writeAndRead, WITHIN);
    expect(targets.at(-1)).toBe('replica');
    await vi.waitFor(async () => expect(await read()).toContain(`delayed ${attempt}`), WITHIN);
    await servers.delayReplay(0);
  });

  it('is left for the primary when it lags beyond the bound, and read from again when it has caught up', async () => {
    await becomes('caught up');
    states.length = 0;
    await servers.pauseReplay();
    await write('late');
    await becomes('lags');
    expect(replica.lagMs).toBeGreaterThan(MAX_LAG_MS);
    targets.length = 0;
    expect(await read()).toContain('late');
    expect(targets).toEqual(['primary']);
    await servers.resumeReplay();
    await becomes('caught up');
    expect(states).toEqual(['lags', 'caught up']);
    targets.length = 0;
    expect(await read()).toContain('late');
    expect(targets).toEqual(['replica']);
  });

  it('is left for the primary when it is unreachable, in the middle of a read too, and comes back by itself', async () => {
    await becomes('caught up');
    states.length = 0;
    await servers.restartReplica(async () => {
      await write('meanwhile');
      expect(await read()).toContain('meanwhile');
      expect(replica.state).toBe('unreachable');
      expect(replica.lagMs).toBe(Infinity);
      expect(String(causes.at(0))).toMatch(/terminat|shut|ECONN|connection/i);
    });
    await becomes('caught up');
    expect(states.filter((state) => state !== 'lags')).toEqual(['unreachable', 'caught up']); // it may lag at first
    targets.length = 0;
    expect(await read()).toContain('meanwhile');
    expect(targets).toEqual(['replica']);
  });

  it('a statement that fails there is done again at the primary, and the replica is read from on', async () => {
    await becomes('caught up');
    await replica.read((database) => database.query("INSERT INTO note (text) VALUES ('written')"));
    expect(targets).toEqual(['primary']);
    expect(replica.state).toBe('caught up');
  });
});

it('a server that replays nothing is no replica', async () => {
  const other = connect(servers.primary);
  await vi.waitFor(() => expect(other.state).toBe('no replica'), WITHIN);
  expect(await read(other)).toContain('first');
  expect(targets).toEqual(['primary']);
  await other.close();
});

it('a replica that was never reachable is reported, with the reason', async () => {
  const url = new URL(servers.replica);
  url.username = 'unknown_role';
  const other = connect(url.href);
  await vi.waitFor(() => expect(states).toEqual(['unreachable']), WITHIN);
  expect(String(causes)).toContain('authentication failed for user "unknown_role"');
  expect(await read(other)).toContain('first');
  await other.close();
});

it('a primary that does not respond is the reason for the lag, and does not make the replica unreachable', async () => {
  const url = new URL(servers.primary);
  url.username = 'unknown_role';
  const lost = createPool({ connectionString: url.href, schema: 'notes' });
  const other = connectReplica({ ...optionsOf(servers.replica), primary: lost });
  await vi.waitFor(() => expect(states).toEqual(['lags']), WITHIN);
  expect(String(causes)).toContain('authentication failed for user "unknown_role"');
  await Promise.all([other.close(), lost.end()]);
});

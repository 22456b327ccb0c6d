import {
  appendFileSync,
  chownSync,
  cpSync,
  lchownSync,
  lstatSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@trellis/dev-stores';
import { Client } from 'pg';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A PostgreSQL of its own, and a streaming replica of it. */
export interface TestReplicatedPostgres {
  /** Of the superuser, to the primary's database `postgres`. */
  readonly primary: string;
  /** The same on the replica. */
  readonly replica: string;
  /** Has the replica replay each commit so much later, as a busy one does. */
  delayReplay(milliseconds: number): Promise<void>;
  /** The replica receives, and replays nothing. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Ends the replica, waits for `whileStopped`, and starts it again at the same address. */
  restartReplica(whileStopped: () => Promise<void>): Promise<void>;
  /** Ends both. */
  stop(): Promise<void>;
}

/**
 * Starts both from the embedded binaries. The replica begins with the files of the primary, copied while that does not run.
 *
 * @throws EmbeddedPostgresError when one of both does not start
 */
export async function startTestReplicatedPostgres(): Promise<TestReplicatedPostgres> {
  const directory = createTemporaryDirectory();
  const [own, copy] = [join(directory.path, 'primary'), join(directory.path, 'replica')];
  const start = (path: string, port = 0): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({ directory: path, port, durability: 'none' });
  await (await start(own)).stop();
  cpSync(own, copy, { recursive: true, verbatimSymlinks: true });
  keepOwners(own, copy);
  const primary = await start(own);
  makeStandby(join(copy, 'data'), primary.connectionString);
  let replica = await start(copy);
  const ask = async (text: string): Promise<void> => {
    const client = new Client(replica.connectionString);
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  return {
    primary: primary.connectionString,
    replica: replica.connectionString,
    delayReplay: async (milliseconds) => {
      await ask(`ALTER SYSTEM SET recovery_min_apply_delay = ${milliseconds}`);
      await ask('SELECT pg_reload_conf()');
    },
    pauseReplay: () => ask('SELECT pg_wal_replay_pause()'),
    resumeReplay: () => ask('SELECT pg_wal_replay_resume()'),
    restartReplica: async (whileStopped) => {
      const { port } = new URL(replica.connectionString);
      await replica.stop();
      await whileStopped();
      replica = await start(copy, Number(port));
    },
    stop: async () => {
      await replica.stop();
      await primary.stop();
      directory.remove();
    },
  };
}

function makeStandby(dataDirectory: string, primary: string): void {
  const { hostname, port, username, password } = new URL(primary);
  const connection = `host=${hostname} port=${port} user=${username} password=${password}`;
  appendFileSync(join(dataDirectory, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  const signal = join(dataDirectory, 'standby.signal');
  writeFileSync(signal, '');
  const { uid, gid } = statSync(dataDirectory);
  chownSync(signal, uid, gid);
}

/** A copy belongs to who copies; as root, the server runs as another account. */
function keepOwners(from: string, to: string): void {
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    const { uid, gid } = lstatSync(join(from, name));
    lchownSync(join(to, name), uid, gid);
  }
}

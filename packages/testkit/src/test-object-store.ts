import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '@trellis/dev-stores';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A Ceph cluster of one monitor and one daemon that stores in memory, behind its gateway for the interface of Amazon S3. */
export interface TestObjectStore {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** Credentials of its only user, by the names that programs for AWS share. */
  readonly environment: Readonly<Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>>;
  /** Makes an empty bucket. @returns its address: `http://127.0.0.1:…/name` */
  createBucket(name: string): Promise<string>;
  /** Safe to call twice. */
  stop(): Promise<void>;
}

/** curl signs what makes buckets: another program than the one that tests are about. */
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'curl'];
const PLACES = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin'];
const COMMAND_DEADLINE_MS = 60_000;
const START_ATTEMPTS = 300;
const START_PAUSE_MS = 100;
/** It ends its program when its starter is gone, however that ended. */
const WITH_OWNER = '"$@" & child=$!; cat >/dev/null; kill -9 $child';

const run = promisify(execFile);

/** Whether this machine has an object store that creates objects once; tests that need one say so and skip where it has none. */
export const hasObjectStore: boolean = PROGRAMS.every((program) =>
  PLACES.some((place) => existsSync(join(place, program))),
);

/**
 * Starts an object store of its own, in three to four seconds. It has no bucket yet.
 *
 * @throws Error when the machine has none, or it does not start
 */
export async function startTestObjectStore(): Promise<TestObjectStore> {
  const directory = createTemporaryDirectory();
  const [monitorPort = 0, port = 0] = await freePorts(2);
  const place = { path: directory.path, monitorPort, port, id: randomUUID() };
  for (const folder of ['mon', 'osd']) mkdirSync(join(place.path, folder));
  writeFileSync(join(place.path, 'ceph.conf'), configuration(place));
  const daemons: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(daemons.splice(0).map(end));
    directory.remove();
  };
  try {
    const environment = await startDaemons(place, daemons);
    const url = `http://127.0.0.1:${port}`;
    await untilItResponds(url);
    return { url, environment, stop, createBucket: (name) => createBucket(`${url}/${name}`, environment) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createBucket(
  bucket: string,
  { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret }: TestObjectStore['environment'],
): Promise<string> {
  const signing = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '--user', `${id}:${secret}`];
  const emptyBody = ['--header', `x-amz-content-sha256: ${createHash('sha256').digest('hex')}`];
  const args = ['--silent', '--fail', '--request', 'PUT', ...emptyBody, ...signing, bucket];
  await run('curl', args, { timeout: COMMAND_DEADLINE_MS });
  return bucket;
}

interface Place {
  readonly path: string;
  readonly monitorPort: number;
  readonly port: number;
  readonly id: string;
}

async function startDaemons(place: Place, daemons: ChildProcess[]): Promise<TestObjectStore['environment']> {
  const command = (program: string, ...args: readonly string[]): Promise<unknown> =>
    run(program, args, { env: variablesOf(place), timeout: COMMAND_DEADLINE_MS });
  const daemon = (program: string, ...args: readonly string[]): void => {
    daemons.push(startDaemon(place, [program, ...args, '-f']));
  };
  const [monitors, storage] = [join(place.path, 'monitors'), randomUUID()];
  await command('monmaptool', '--create', '--fsid', place.id, '--addv', 'a', addressOf(place), monitors);
  await command('ceph-mon', '--mkfs', '-i', 'a', '--monmap', monitors);
  daemon('ceph-mon', '-i', 'a');
  await command('ceph', 'osd', 'new', storage, '0');
  await command('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', storage);
  await command('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default');
  daemon('ceph-osd', '-i', '0');
  const [accessKey, secret] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const keys = [`--access-key=${accessKey}`, `--secret=${secret}`];
  await command('radosgw-admin', 'user', 'create', '--uid=test', '--display-name=test', ...keys);
  daemon('radosgw', '-n', 'client.rgw');
  return { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secret };
}

function configuration(place: Place): string {
  const { path, port, id } = place;
  return [
    '[global]',
    `fsid = ${id}`,
    `mon host = ${addressOf(place)}`,
    'ms bind msgr1 = false',
    ...['cluster', 'service', 'client'].map((who) => `auth ${who} required = none`),
    `run dir = ${path}`,
    `admin socket = ${path}/$name.asok`,
    `log file = ${path}/$name.log`,
    `mon cluster log file = ${path}/cluster.log`,
    'pid file =',
    'public network = 127.0.0.0/8',
    'public addr = 127.0.0.1',
    'osd pool default size = 1',
    'osd pool default min size = 1',
    'osd pool default pg num = 4',
    'osd pool default pg autoscale mode = off',
    'mon allow pool size one = true',
    'osd crush chooseleaf type = 0',
    'mon max pg per osd = 1000',
    'mon data avail crit = 1',
    // Each change of the cluster waits for the next proposal: a second, usually.
    'paxos propose interval = 0.02',
    'paxos min wait = 0.01',
    '[mon.a]',
    `mon data = ${path}/mon`,
    '[osd.0]',
    `osd data = ${path}/osd`,
    'osd objectstore = memstore',
    'memstore device bytes = 1073741824',
    'osd class update on start = false',
    '[client.rgw]',
    `rgw frontends = beast endpoint=127.0.0.1:${port}`,
    'rgw enable apis = s3',
    // It wants encryption of its own, which needs keys.
    'ms mon client mode = crc',
    'rgw run sync thread = false',
    '',
  ].join('\n');
}

function addressOf({ monitorPort }: Pick<Place, 'monitorPort'>): string {
  return `[v2:127.0.0.1:${monitorPort}]`;
}

function variablesOf({ path }: Place): NodeJS.ProcessEnv {
  return { ...process.env, CEPH_CONF: join(path, 'ceph.conf') };
}

function startDaemon(place: Place, command: readonly string[]): ChildProcess {
  return spawn('sh', ['-c', WITH_OWNER, 'sh', ...command], {
    env: variablesOf(place),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const ended = once(daemon, 'exit');
  daemon.stdin?.end();
  await ended;
}

async function untilItResponds(url: string): Promise<void> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (response?.ok) return;
    await delay(START_PAUSE_MS);
  }
  throw new Error('The object store did not start.');
}

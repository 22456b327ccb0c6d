import { Agent, request as sendHttp } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, queryChecked, type Pool } from '@trellis/postgres';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { proof, type ProofOutcome } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { SCHEMA } from '../src/app/start.ts';
import { obtainTokens, postForm, refresh, tokensOf } from '../src/testing/flow.ts';
import { anonymousRequests, type AnonymousRequest } from './attackers/anonymous-requests.ts';
import { attackedClients } from './attackers/attacked-clients.ts';
import { createAttacker, random, type Attacker } from './attackers/attacker.ts';
import { portOf, withServers, type ServerGround } from './processes/server-processes.ts';

/**
 * What stands in Redis expires after 90 s or later: a short attack is held to what a request leaves on average. Connections are
 * those of each kind of request, so that a slow one does not hold up the others.
 */
const SIZES = {
  small: { attackMs: 10_000, maxMemoryMb: 64, connections: 1 },
  full: { attackMs: 600_000, maxMemoryMb: 64, connections: 2 },
} as const;

/** Each in a /24 of its own. */
const ADDRESSES = 1_000;
/** Between two rounds of an honest user. */
const HONEST_PAUSE_MS = 250;
const SAMPLE_MS = 500;
/** One that is stored has up to 131,000; most are not stored, or rejected. */
const MAX_BYTES_PER_REQUEST = 3_000;
/** By which security events are stored: a batch waits for others as long, and a full one is stored in less. */
const AUDIT_DELAY_MS = 1_000;
/** Failures that repeat are counted in a row of their own: without that, every fourth request would leave one. */
const MAX_AUDIT_ROWS_PER_REQUEST = 0.15;
const MB = 1_048_576;

/** Everything that anybody can have written, from many networks, while users sign in, refresh and revoke. */
proof({
  name: 'anonymous-writing',
  description:
    'Ten minutes of anonymous writing at full speed from 1,000 addresses, to every endpoint, leave less than 64 MB in Redis and a bounded number of audit rows, and sign-in, refresh and revocation work all the while with maxmemory 64mb and noeviction (H2).',
  run: async ({ size }) =>
    withServers((ground) => attackServer(ground, SIZES[size]), {
      clients: await attackedClients(),
      program: 'compiled',
      environment: {
        TRUSTED_PROXIES: '127.0.0.1',
        REQUESTS_PER_ADDRESS: '1000', // as by default
        MAIL_URL: 'log:',
        SIGN_UP: 'true',
        REGISTRATION_TOKEN: random().repeat(2),
      },
    }),
});

async function attackServer(
  { issuer, redisUrl, databaseUrl, start }: ServerGround,
  size: (typeof SIZES)['small' | 'full'],
): Promise<ProofOutcome> {
  await start(portOf(issuer));
  const redis = connectRedis({ url: redisUrl, name: 'proof', onError: () => undefined });
  const database = createPool({ connectionString: databaseUrl, schema: SCHEMA });
  try {
    await redis.config('SET', 'maxmemory', '64mb');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    return await attack(issuer, { redis, database }, size);
  } finally {
    redis.disconnect();
    await database.end();
  }
}

/** What the attack is measured by. */
interface Stores {
  readonly redis: RedisConnection;
  readonly database: Pool;
}

interface Attack {
  readonly issuer: string;
  isOver: boolean;
  /** Responses by status. */
  readonly responses: Map<number, number>;
}

async function attack(
  issuer: string,
  { redis, database }: Stores,
  { attackMs, maxMemoryMb, connections }: (typeof SIZES)['small' | 'full'],
): Promise<ProofOutcome> {
  const run: Attack = { issuer, isOver: false, responses: new Map() };
  const attacker = await createAttacker(issuer);
  const known = new HonestUser(run, 'ada@example.com');
  const fresh = new HonestUser(run, 'ed@example.com');
  await known.round(); // from now on the account knows the browser
  const memory = new MemorySampler(redis);
  const usedBefore = await memory.sample();
  const rowsBefore = await countAuditRows(database);
  const work = [
    flood(run, attacker, connections),
    known.run(),
    fresh.run(() => new Browser()),
    memory.run(() => run.isOver),
  ];
  await pause(attackMs);
  run.isOver = true;
  await Promise.all(work);
  const peakMb = memory.peakBytes / MB;
  const requests = [...run.responses.values()].reduce((sum, count) => sum + count, 0);
  const bytesPerRequest = Math.round((memory.peakBytes - usedBefore) / requests);
  const rejections = await rejectionsOf(redis);
  await pause(AUDIT_DELAY_MS);
  const auditRows = (await countAuditRows(database)) - rowsBefore;
  return {
    figures: {
      seconds: attackMs / 1000,
      requests,
      responses: [...run.responses].map(([status, count]) => `${status}: ${count}`).join(' '),
      peakMb: peakMb.toFixed(1),
      bytesPerRequest,
      keys: await redis.dbsize(),
      auditRows,
      rejectedByRedis: rejections,
      rounds: known.rounds,
      failures: known.failures,
      slowestMs: Math.round(known.slowestMs),
      roundsOfNewBrowsers: fresh.rounds,
      failuresOfNewBrowsers: fresh.failures,
      ...(known.failures + fresh.failures > 0 && { lastFailure: known.lastFailure || fresh.lastFailure }),
    },
    passed:
      peakMb < maxMemoryMb &&
      bytesPerRequest < MAX_BYTES_PER_REQUEST &&
      auditRows < MAX_AUDIT_ROWS_PER_REQUEST * requests &&
      rejections + known.failures + fresh.failures === 0 &&
      known.rounds > 0 &&
      fresh.rounds > 0,
  };
}

/** Signs in, refreshes and revokes, again and again, from an address of its own. */
class HonestUser {
  readonly #run: Attack;
  readonly #email: string;
  #browser = new Browser();
  rounds = 0;
  failures = 0;
  /** What was not as ever. */
  lastFailure = '';
  slowestMs = 0;

  constructor(run: Attack, email: string) {
    this.#run = run;
    this.#email = email;
  }

  /** @param newBrowser one that the account does not know, for each round */
  async run(newBrowser?: () => Browser): Promise<void> {
    while (!this.#run.isOver) {
      if (newBrowser) this.#browser = newBrowser();
      const from = performance.now();
      try {
        await this.round();
      } catch (error) {
        this.failures += 1;
        this.lastFailure = error instanceof Error ? error.message : String(error);
      }
      this.slowestMs = Math.max(this.slowestMs, performance.now() - from);
      await pause(HONEST_PAUSE_MS);
    }
  }

  /** @throws Error when anything is not answered as ever */
  async round(): Promise<void> {
    const { issuer } = this.#run;
    const begun = await obtainTokens(issuer, { prompt: 'login' }, this.#browser, this.#email);
    const next = tokensOf(await refresh(issuer, begun.refreshToken));
    const revoked = await postForm(`${issuer}/revoke`, { token: next.refreshToken, client_id: 'spa' });
    const after = await refresh(issuer, next.refreshToken);
    if (revoked.status !== 200 || after.body['error'] !== 'invalid_grant') throw new Error('not revoked');
    this.rounds += 1;
  }
}

/** @param connections of each kind */
async function flood(run: Attack, attacker: Attacker, connections: number): Promise<void> {
  const kinds = Object.values(anonymousRequests).flat();
  const agent = new Agent({ keepAlive: true });
  let sent = 0;
  const connection = async (kind: (typeof kinds)[number]): Promise<void> => {
    while (!run.isOver) {
      sent += 1;
      const status = await send(run.issuer, agent, await kind(attacker), addressOf(sent % ADDRESSES));
      run.responses.set(status, (run.responses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(kinds.flatMap((kind) => Array.from({ length: connections }, () => connection(kind))));
  agent.destroy();
}

function addressOf(index: number): string {
  return `10.${index >> 8}.${index & 255}.1`;
}

/** @returns the status; 0 for a connection that broke */
function send(
  issuer: string,
  agent: Agent,
  { method, path, body = '', headers }: AnonymousRequest,
  address: string,
): Promise<number> {
  return new Promise((resolve) => {
    const length = { 'content-length': Buffer.byteLength(body), 'x-forwarded-for': address };
    const options = { method, agent, headers: { ...headers, ...length } };
    const request = sendHttp(`${issuer}${path}`, options, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', () => resolve(0));
    request.end(body);
  });
}

/** Looks again and again at what Redis holds. */
class MemorySampler {
  readonly #redis: RedisConnection;
  peakBytes = 0;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.sample();
      await pause(SAMPLE_MS);
    }
  }

  /** @returns bytes that are used now */
  async sample(): Promise<number> {
    const used = Number(/used_memory:(\d+)/.exec(await this.#redis.info('memory'))?.[1]);
    this.peakBytes = Math.max(this.peakBytes, used);
    return used;
  }
}

/** Commands that were rejected for lack of memory. */
async function rejectionsOf(redis: RedisConnection): Promise<number> {
  return Number(/errorstat_OOM:count=(\d+)/.exec(await redis.info('errorstats'))?.[1] ?? 0);
}

/** Rows of the audit trail, those of before the start included. */
async function countAuditRows(database: Pool): Promise<number> {
  const [row] = await queryChecked(database, { count: 'int8' }, 'SELECT count(*) FROM audit_event');
  return Number(row?.count);
}

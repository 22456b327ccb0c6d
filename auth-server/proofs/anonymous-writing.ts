import { Agent, request as sendHttp } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { proof, type ProofOutcome } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { obtainTokens, postForm, refresh, tokensOf } from '../src/testing/flow.ts';
import { CALLBACK, CLIENT_SECRET } from '../src/testing/test-clients.ts';
import {
  anonymousRequests,
  type AnonymousRequest,
  type RequestKind,
} from './attackers/anonymous-requests.ts';
import { portOf, withServers } from './processes/server-processes.ts';

/** What stands in Redis expires after 90 s or later: a short attack is held to what a request leaves on average. */
const SIZES = {
  small: { attackMs: 10_000, maxMemoryMb: 64 },
  full: { attackMs: 600_000, maxMemoryMb: 64 },
} as const;

/** Each in a /24 of its own. */
const ADDRESSES = 1_000;
/** For each kind of request, so that a slow one does not hold up the others. */
const CONNECTIONS = 5;
/** Between two rounds of an honest user. */
const HONEST_PAUSE_MS = 250;
const SAMPLE_MS = 500;
/** One that is stored has up to 131,000; most are not stored, or rejected. */
const MAX_BYTES_PER_REQUEST = 3_000;
const MB = 1_048_576;

const CLIENTS = [
  {
    client_id: 'spa',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    first_party: true,
  },
  {
    client_id: 'television',
    token_endpoint_auth_method: 'none',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  },
  {
    client_id: 'machine',
    client_secret: CLIENT_SECRET,
    grant_types: ['client_credentials'],
    scope: 'read:data',
  },
];

/** Everything that anybody can have written, from many networks, while people sign in, refresh and revoke. */
proof({
  name: 'anonymous-writing',
  description:
    'Ten minutes of anonymous writing at full speed from 1,000 addresses leave less than 64 MB in Redis, and sign-in, refresh and revocation work all the while with maxmemory 64mb and noeviction (H2).',
  run: ({ size }) =>
    withServers(
      async ({ redisUrl, issuer, start }) => {
        await start(portOf(issuer));
        const redis = connectRedis({ url: redisUrl, name: 'proof', onError: () => undefined });
        try {
          await redis.config('SET', 'maxmemory', '64mb');
          await redis.config('SET', 'maxmemory-policy', 'noeviction');
          return await attack(issuer, redis, SIZES[size]);
        } finally {
          redis.disconnect();
        }
      },
      {
        clients: CLIENTS,
        program: 'compiled',
        environment: {
          TRUSTED_PROXIES: '127.0.0.1',
          REQUESTS_PER_ADDRESS: '1000', // as by default
          MAIL_URL: 'log:',
          SIGN_UP: 'true',
        },
      },
    ),
});

interface Attack {
  readonly issuer: string;
  isOver: boolean;
  /** Answers by status. */
  readonly responses: Map<number, number>;
}

async function attack(
  issuer: string,
  redis: RedisConnection,
  { attackMs, maxMemoryMb }: (typeof SIZES)['small' | 'full'],
): Promise<ProofOutcome> {
  const run: Attack = { issuer, isOver: false, responses: new Map() };
  const kinds = await anonymousRequests(issuer);
  const known = new HonestUser(run, 'ada@example.com');
  const fresh = new HonestUser(run, 'ed@example.com');
  await known.round(); // from now on the account knows the browser
  const memory = new MemorySampler(redis);
  const usedBefore = await memory.sample();
  const work = [flood(run, kinds), known.run(), fresh.run(() => new Browser()), memory.run(() => run.isOver)];
  await pause(attackMs);
  run.isOver = true;
  await Promise.all(work);
  const peakMb = memory.peakBytes / MB;
  const requests = [...run.responses.values()].reduce((sum, count) => sum + count, 0);
  const bytesPerRequest = Math.round((memory.peakBytes - usedBefore) / requests);
  const rejections = await rejectionsOf(redis);
  return {
    figures: {
      seconds: attackMs / 1000,
      requests,
      responses: [...run.responses].map(([status, count]) => `${status}: ${count}`).join(' '),
      peakMb: peakMb.toFixed(1),
      bytesPerRequest,
      keys: await redis.dbsize(),
      rejectedByRedis: rejections,
      rounds: known.rounds,
      failures: known.failures,
      slowestMs: Math.round(known.slowestMs),
      roundsOfNewBrowsers: fresh.rounds,
      failuresOfNewBrowsers: fresh.failures,
    },
    passed:
      peakMb < maxMemoryMb &&
      bytesPerRequest < MAX_BYTES_PER_REQUEST &&
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
      } catch {
        this.failures += 1;
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

async function flood(run: Attack, kinds: readonly RequestKind[]): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let sent = 0;
  const connection = async (kind: RequestKind): Promise<void> => {
    while (!run.isOver) {
      sent += 1;
      const status = await send(run.issuer, agent, await kind(), addressOf(sent % ADDRESSES));
      run.responses.set(status, (run.responses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(kinds.flatMap((kind) => Array.from({ length: CONNECTIONS }, () => connection(kind))));
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

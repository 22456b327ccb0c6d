import { setTimeout as pause } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { proof, type ProofOutcome } from '@trellis/testkit';
import { createRandom } from '@trellis/testkit/random';
import { Browser } from '@trellis/testkit/sign-in';
import {
  createPkce,
  exchange,
  obtainCode,
  refresh,
  tokensOf,
  type JsonResponse,
  type Pkce,
} from '../src/testing/flow.ts';
import { grantKeys } from '../src/grants/grant-keys.ts';
import { portOf, withServers, type ServerGround } from './processes/server-processes.ts';

/** Codes, and refresh tokens, that are in use when the process is killed. */
const IN_FLIGHT = 3;
/** Servers that live at the same time, each of which is killed and replaced by another. */
const LANES = 6;
/** The kill comes within as long as so many requests take: before, amidst and after the responses. */
const KILL_WITHIN_REQUESTS = 2 * IN_FLIGHT;

/** Kills a server while it answers, and looks at what it left. */
proof({
  name: 'token-kill',
  description:
    'A server that is killed between using up a code or refresh token and answering never leaves two token sets or a half-created grant (A-124).',
  run: ({ size, seed }) =>
    withServers((ground) => killOften(ground, size === 'full' ? 1_000 : 3, seed), {
      program: size === 'full' ? 'compiled' : 'source',
    }),
});

interface Code {
  readonly code: string;
  readonly pkce: Pkce;
}

interface Tally {
  begun: number;
  kills: number;
  answered: number;
  lost: number;
  untouched: number;
  halfCreated: number;
  twoTokenSets: number;
}

async function killOften(ground: ServerGround, kills: number, seed: number): Promise<ProofOutcome> {
  const { issuer, start, redisUrl } = ground;
  await start(portOf(issuer));
  const redis = connectRedis({ url: redisUrl, name: 'proof', onError: () => undefined });
  const random = createRandom(seed).next;
  const browser = new Browser();
  const tally: Tally = {
    begun: 0,
    kills: 0,
    answered: 0,
    lost: 0,
    untouched: 0,
    halfCreated: 0,
    twoTokenSets: 0,
  };
  try {
    const lane = async (): Promise<void> => {
      while (tally.begun < kills) {
        tally.begun += 1;
        await killOnce(ground, redis, browser, random, tally);
        tally.kills += 1;
      }
    };
    await obtainCode(issuer, createPkce(), { scope: 'openid' }, browser); // signs the browser in, once for all lanes
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    redis.disconnect();
  }
  const { begun: _begun, ...figures } = tally;
  const isCovered = kills < 100 || (tally.answered > 0 && tally.lost > 0 && tally.untouched > 0);
  return { figures, passed: tally.halfCreated === 0 && tally.twoTokenSets === 0 && isCovered };
}

async function killOnce(
  { issuer, start }: ServerGround,
  redis: RedisConnection,
  browser: Browser,
  random: () => number,
  tally: Tally,
): Promise<void> {
  const victim = await start();
  const requestMs = await warmUp(issuer, victim.url, browser);
  const codes = await Promise.all(Array.from({ length: IN_FLIGHT }, () => newCode(issuer, browser)));
  const refreshTokens = await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      const { code, pkce } = await newCode(issuer, browser);
      return tokensOf(await exchange(issuer, code, pkce)).refreshToken;
    }),
  );
  const exchanges = codes.map(({ code, pkce }) => orNothing(exchange(victim.url, code, pkce)));
  const refreshes = refreshTokens.map((token) => orNothing(refresh(victim.url, token)));
  await pause(random() * KILL_WITHIN_REQUESTS * requestMs);
  await victim.kill();
  const [exchanged, refreshed] = await Promise.all([Promise.all(exchanges), Promise.all(refreshes)]);
  for (const [index, { code, pkce }] of codes.entries()) {
    if (await isHalfCreated(redis, code)) tally.halfCreated += 1;
    count(tally, exchanged[index], await exchange(issuer, code, pkce));
  }
  for (const [index, token] of refreshTokens.entries())
    count(tally, refreshed[index], await refresh(issuer, token));
}

/**
 * Opens the victim's connections and compiles its code, so that the kill meets requests and not that.
 *
 * @returns how long a request takes then, milliseconds
 */
async function warmUp(issuer: string, victimUrl: string, browser: Browser): Promise<number> {
  const { code, pkce } = await newCode(issuer, browser);
  let { refreshToken } = tokensOf(await exchange(victimUrl, code, pkce));
  let requestMs = 0;
  for (let times = 0; times < 10; times += 1) {
    const from = performance.now();
    refreshToken = tokensOf(await refresh(victimUrl, refreshToken)).refreshToken;
    requestMs = performance.now() - from;
  }
  return requestMs;
}

async function newCode(issuer: string, browser: Browser): Promise<Code> {
  const pkce = createPkce();
  return { pkce, code: await obtainCode(issuer, pkce, { scope: 'openid read:data' }, browser) };
}

/** A code that was used without its grant, or a grant whose code was not. */
async function isHalfCreated(redis: RedisConnection, code: string): Promise<boolean> {
  const grantId = code.slice('ac_'.length, 'ac_'.length + 22);
  const record = await redis.get(grantKeys.code(grantId));
  const grants = await redis.exists(grantKeys.grant(grantId));
  return (record?.startsWith('used') ?? false) !== (grants === 1);
}

/** What the victim answered, and what the same request gets from a server that lives. */
function count(tally: Tally, response: JsonResponse | undefined, again: JsonResponse): void {
  if (response?.status === 200 && again.status === 200) tally.twoTokenSets += 1;
  else if (response?.status === 200) tally.answered += 1;
  else if (again.status === 200) tally.untouched += 1;
  else tally.lost += 1;
}

async function orNothing(response: Promise<JsonResponse>): Promise<JsonResponse | undefined> {
  try {
    return await response;
  } catch {
    return undefined; // the connection ended with the process
  }
}

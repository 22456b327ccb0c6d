import { setTimeout as pause } from 'node:timers/promises';
import { demoAccounts } from '@trellis/demo-data';
import { describeTestRedis } from '@trellis/testkit';
import { proof, type ProofOutcome } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { obtainTokens, refresh, type JsonResponse } from '../src/testing/flow.ts';
import { startTestAuthServer } from '../src/testing/test-auth-server.ts';
import { startReplicatedRedis, type ReplicatedRedis } from './processes/replicated-redis.ts';

/** Milliseconds within which a client that received a 503 gets a response. */
const RETRY_FOR_MS = 60_000;
const AT_ONCE = 50;

/** Half of the clients try a refresh again whose response was lost; the others sign in again. */
type ClientId = 'lenient' | 'first-party';

/** The primary dies while many refreshes are under way. */
proof({
  name: 'redis-failover',
  description:
    'A failover of Redis in the middle of 1,000 refreshes loses no token that was handed out, ends no grant wrongly, and never lets an old token live beside a new one (F-08).',
  run: async ({ size }) => {
    if (!describeTestRedis().startsWith('redis-server'))
      return { passed: true, figures: { skipped: 'there is no redis-server' } };
    const redis = await startReplicatedRedis();
    const server = await startTestAuthServer({ REDIS_URL: redis.url, REDIS_REPLICAS: '1' });
    try {
      return await refreshThrough(server.issuer, redis, size === 'full' ? 1_000 : 40);
    } finally {
      await server.stop();
      await redis.stop();
    }
  },
});

interface Family {
  readonly clientId: ClientId;
  readonly token: string;
}

interface Tally {
  answeredAtOnce: number;
  askedToRetry: number;
  signedInAgain: number;
  lostTokens: number;
  endedWrongly: number;
  oldBesideNew: number;
}

async function refreshThrough(issuer: string, redis: ReplicatedRedis, count: number): Promise<ProofOutcome> {
  const families = await begin(issuer, count);
  const tally: Tally = {
    answeredAtOnce: 0,
    askedToRetry: 0,
    signedInAgain: 0,
    lostTokens: 0,
    endedWrongly: 0,
    oldBesideNew: 0,
  };
  let failover: Promise<void> | undefined;
  const first = await Promise.all(
    families.map(async (family) => {
      const response = await refreshAs(issuer, family);
      if (response.status === 200) tally.answeredAtOnce += 1;
      else tally.askedToRetry += 1;
      failover ??= redis.failOver(); // with the first response, while the others are on their way
      return response;
    }),
  );
  await failover;
  await inBatches(families, (family, index) => settle(issuer, family, first[index], tally));
  const { lostTokens, endedWrongly, oldBesideNew, askedToRetry } = tally;
  return {
    figures: { refreshes: count, ...tally },
    passed: lostTokens + endedWrongly + oldBesideNew === 0 && askedToRetry > 0,
  };
}

/** Grants of two kinds of clients in turn, and of all demo accounts: a client may have 200 of each account. */
async function begin(issuer: string, count: number): Promise<readonly Family[]> {
  const users = demoAccounts.map(({ email }) => ({ email, browser: new Browser() }));
  const families: Family[] = [];
  while (families.length < count)
    for (const { email, browser } of users)
      for (const clientId of ['lenient', 'first-party'] as const) {
        const tokens = await obtainTokens(issuer, { client_id: clientId }, browser, email);
        families.push({ clientId, token: tokens.refreshToken });
      }
  return families.slice(0, count);
}

/** Goes on as the client would, and looks at what is good in the end. */
async function settle(
  issuer: string,
  family: Family,
  first: JsonResponse | undefined,
  tally: Tally,
): Promise<void> {
  const response = first?.status === 200 ? first : await tryAgain(issuer, family);
  if (response.status !== 200) {
    if (family.clientId === 'lenient') tally.endedWrongly += 1;
    else tally.signedInAgain += 1;
    return;
  }
  const successor = { ...family, token: String(response.body['refresh_token']) };
  if ((await tryAgain(issuer, successor)).status !== 200) tally.lostTokens += 1;
  if ((await tryAgain(issuer, family)).status === 200) tally.oldBesideNew += 1;
}

/** Sends a refresh until it is answered with anything but 503. */
async function tryAgain(issuer: string, family: Family): Promise<JsonResponse> {
  const deadline = Date.now() + RETRY_FOR_MS;
  for (;;) {
    const response = await refreshAs(issuer, family);
    if (response.status !== 503 || Date.now() > deadline) return response;
    await pause(100);
  }
}

function refreshAs(issuer: string, { clientId, token }: Family): Promise<JsonResponse> {
  return refresh(issuer, token, { client_id: clientId });
}

async function inBatches<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      const item = items[index];
      if (item !== undefined) await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

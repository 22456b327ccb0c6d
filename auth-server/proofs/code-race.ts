import { proof, type ProofOutcome } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import {
  createPkce,
  exchange,
  obtainCode,
  refresh,
  tokensOf,
  type JsonResponse,
} from '../src/testing/flow.ts';
import { portOf, withServers } from './processes/server-processes.ts';

const PARALLEL = 20;

/** Each code, and each refresh token, is used by 20 requests at once, half of them at either of two processes. */
proof({
  name: 'code-race',
  description:
    'Of 20 parallel exchanges of a code, and of 20 parallel refreshes, over two processes on one Redis, exactly one succeeds (A-123, A-130).',
  run: ({ size }) => withTwoServers((first, second) => race(size === 'full' ? 100 : 3, first, second)),
});

function withTwoServers(
  work: (first: string, second: string) => Promise<ProofOutcome>,
): Promise<ProofOutcome> {
  return withServers(async ({ issuer, start }) => {
    await start(portOf(issuer));
    return work(issuer, (await start()).url);
  });
}

async function race(rounds: number, first: string, second: string): Promise<ProofOutcome> {
  const browser = new Browser();
  let codesExchangedOnce = 0;
  let refreshTokensUsedOnce = 0;
  for (let round = 0; round < rounds; round += 1) {
    const pkce = createPkce();
    const code = await obtainCode(first, pkce, { scope: 'openid read:data' }, browser);
    const exchanges = await inParallel((index) => exchange(index % 2 === 0 ? first : second, code, pkce));
    codesExchangedOnce += isOnce(exchanges) ? 1 : 0;
    const fresh = createPkce();
    const freshCode = await obtainCode(first, fresh, { scope: 'openid read:data' }, browser);
    const { refreshToken } = tokensOf(await exchange(second, freshCode, fresh));
    const refreshes = await inParallel((index) => refresh(index % 2 === 0 ? first : second, refreshToken));
    refreshTokensUsedOnce += isOnce(refreshes) ? 1 : 0;
  }
  return {
    figures: { rounds, parallel: PARALLEL, codesExchangedOnce, refreshTokensUsedOnce },
    passed: codesExchangedOnce === rounds && refreshTokensUsedOnce === rounds,
  };
}

function inParallel(send: (index: number) => Promise<JsonResponse>): Promise<JsonResponse[]> {
  return Promise.all(Array.from({ length: PARALLEL }, (_, index) => send(index)));
}

function isOnce(responses: readonly JsonResponse[]): boolean {
  const successes = responses.filter(({ status }) => status === 200);
  const rejections = responses.filter(
    ({ status, body }) => status === 400 && body['error'] === 'invalid_grant',
  );
  return successes.length === 1 && rejections.length === PARALLEL - 1;
}

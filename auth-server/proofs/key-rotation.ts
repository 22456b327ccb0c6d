import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { proof, type ProofOutcome } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { createPkce, exchange, isHonoured, obtainCode, refresh, tokensOf } from '../src/testing/flow.ts';
import { portOf, withServers, type ServerGround } from './processes/server-processes.ts';

interface Pace {
  readonly rotationS: number;
  readonly leadS: number;
  readonly tokens: number;
  /** Rotations that the tokens have to see at least. */
  readonly rotations: number;
}

const FULL: Pace = { rotationS: 10, leadS: 5, tokens: 10_000, rotations: 6 };
const SMALL: Pace = { rotationS: 3, leadS: 2, tokens: 60, rotations: 2 };
/** Chains of refreshes that go on at the same time. */
const CHAINS = 8;

/** Signing keys are replaced all the time while tokens are issued by two servers and verified by someone else. */
proof({
  name: 'key-rotation',
  description:
    'Signing keys that rotate every 10 s under load reject no valid token of 10,000: not where they are verified by a cached key set, and not at userinfo (F-16, A-027).',
  run: ({ size }) => {
    const pace = size === 'full' ? FULL : SMALL;
    const environment = {
      KEY_ROTATION_INTERVAL_S: String(pace.rotationS),
      KEY_PUBLICATION_LEAD_S: String(pace.leadS),
      KEY_RELOAD_INTERVAL_S: '1',
    };
    return withServers((ground) => rotateUnderLoad(ground, pace), { environment });
  },
});

interface Tally {
  issued: number;
  rejected: number;
  readonly kids: Set<string>;
}

async function rotateUnderLoad({ issuer, start }: ServerGround, pace: Pace): Promise<ProofOutcome> {
  await start(portOf(issuer));
  const second = await start();
  // Fetched again only when it is as old as its Cache-Control allows; never because a key is unknown.
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks.json`), {
    cacheMaxAge: pace.leadS * 1_000,
    cooldownDuration: Number.MAX_SAFE_INTEGER,
  });
  const tally: Tally = { issued: 0, rejected: 0, kids: new Set() };
  const isDone = (): boolean => tally.issued >= pace.tokens && tally.kids.size > pace.rotations;
  const chains = Array.from({ length: CHAINS }, (_, index) =>
    refreshAlong(index % 2 === 0 ? issuer : second.url, issuer, keys, tally, isDone),
  );
  await Promise.all(chains);
  const { issued, rejected, kids } = tally;
  return { figures: { tokens: issued, rotations: kids.size - 1, rejected }, passed: rejected === 0 };
}

/** One grant, refreshed again and again; each token is verified when it comes and once more a rotation later. */
async function refreshAlong(
  server: string,
  issuer: string,
  keys: JWTVerifyGetKey,
  tally: Tally,
  isDone: () => boolean,
): Promise<void> {
  const pkce = createPkce();
  const code = await obtainCode(issuer, pkce, { scope: 'openid read:data' }, new Browser());
  let tokens = tokensOf(await exchange(server, code, pkce));
  const recent: string[] = [];
  while (!isDone()) {
    tokens = tokensOf(await refresh(server, tokens.refreshToken));
    tally.issued += 1;
    tally.kids.add(decodeProtectedHeader(tokens.accessToken).kid ?? '');
    recent.push(tokens.accessToken);
    const earlier = recent.length > 50 ? (recent.shift() ?? '') : (recent[0] ?? '');
    const verdicts = await Promise.all([
      verifies(tokens.accessToken, issuer, keys),
      verifies(earlier, issuer, keys),
      isHonoured(issuer, tokens.accessToken),
    ]);
    tally.rejected += verdicts.filter((isGood) => !isGood).length;
  }
}

async function verifies(token: string, issuer: string, keys: JWTVerifyGetKey): Promise<boolean> {
  try {
    await jwtVerify(token, keys, { issuer, typ: 'at+jwt' });
    return true;
  } catch {
    return false;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { proof, type ProofOutcome } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { obtainTokens, refresh } from '../src/testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../src/testing/test-auth-server.ts';

/** How long Redis is down, and how many clients send requests. */
const SIZES = {
  small: { downMs: 1_500, clients: 8 },
  full: { downMs: 60_000, clients: 64 },
} as const;

/** Milliseconds that a client waits before it asks again. */
const PAUSE_MS = 50;
/** Milliseconds within which a response has to come, whatever the load of the machine. */
const RESPONSE_WITHIN_MS = 20_000;
const RETURN_WITHIN_MS = 60_000;

/** Clients refresh all the time, while Redis stops and restarts. */
proof({
  name: 'redis-outage',
  description:
    'While Redis is unavailable the token endpoint responds with 503 with Retry-After, rejects no good token, and goes on with the same tokens afterwards (F-07, A-014).',
  run: async ({ size }) => {
    const server = await startTestAuthServer();
    try {
      return await refreshThrough(server, SIZES[size].clients, SIZES[size].downMs);
    } finally {
      await server.stop();
    }
  },
});

interface Tally {
  refreshed: number;
  unavailable: number;
  /** Responses in the outage that are anything but 503 with Retry-After. */
  otherInOutage: number;
  /** Good tokens that were rejected, none of which had been under way when Redis went. */
  wronglyRejected: number;
  /** Grants that ended because the response to their refresh was lost when Redis went. */
  endedByLostResponse: number;
  slowestMs: number;
}

/** The state of Redis. */
type Phase = 'up' | 'leaving' | 'down' | 'returning' | 'back';

interface Stage {
  readonly issuer: string;
  readonly tally: Tally;
  phase: Phase;
  /** Clients go on until it is set. */
  isOver: boolean;
}

async function refreshThrough(server: TestAuthServer, count: number, downMs: number): Promise<ProofOutcome> {
  const tokens = await begin(server.issuer, count);
  const tally: Tally = {
    refreshed: 0,
    unavailable: 0,
    otherInOutage: 0,
    wronglyRejected: 0,
    endedByLostResponse: 0,
    slowestMs: 0,
  };
  const stage: Stage = { issuer: server.issuer, tally, phase: 'up', isOver: false };
  const clients = tokens.map((token) => new RefreshingClient(stage, token));
  const running = clients.map((client) => client.run());
  stage.phase = 'leaving';
  await server.redis.restart(async () => {
    stage.phase = 'down';
    await pause(downMs);
    stage.phase = 'returning';
  });
  await untilReady(server.issuer);
  stage.phase = 'back';
  const deadline = Date.now() + RETURN_WITHIN_MS;
  while (clients.some(({ state }) => state === 'waiting') && Date.now() < deadline) await pause(PAUSE_MS);
  stage.isOver = true;
  await Promise.all(running);
  await obtainTokens(server.issuer);
  const waiting = clients.filter(({ state }) => state === 'waiting').length;
  const { unavailable, otherInOutage, wronglyRejected, slowestMs } = tally;
  return {
    figures: { clients: count, waiting, ...tally, slowestMs: Math.round(slowestMs) },
    passed:
      waiting + otherInOutage + wronglyRejected === 0 && unavailable > 0 && slowestMs < RESPONSE_WITHIN_MS,
  };
}

/** One grant each. */
async function begin(issuer: string, count: number): Promise<readonly string[]> {
  const browser = new Browser();
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push((await obtainTokens(issuer, {}, browser)).refreshToken);
  return tokens;
}

/** A client that refreshes again and again, and retries after a 503. */
class RefreshingClient {
  readonly #stage: Stage;
  #token: string;
  /** The response to a refresh was lost with Redis, so that the token may be used up. */
  #mayBeUsed = false;
  /** `good` with the first refresh after the return that was answered with tokens. */
  state: 'waiting' | 'good' | 'ended' = 'waiting';

  constructor(stage: Stage, token: string) {
    this.#stage = stage;
    this.#token = token;
  }

  async run(): Promise<void> {
    while (!this.#stage.isOver && this.state !== 'ended') {
      await this.#refresh();
      await pause(PAUSE_MS);
    }
  }

  async #refresh(): Promise<void> {
    const { issuer, tally, phase: before } = this.#stage;
    const from = performance.now();
    const { status, headers, body } = await refresh(issuer, this.#token);
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - from);
    const isUnavailable = status === 503 && headers.has('retry-after');
    if (before === 'down' && this.#stage.phase === 'down' && !isUnavailable) tally.otherInOutage += 1;
    if (status === 200) this.#renew(String(body['refresh_token']), before);
    else if (isUnavailable) this.#tryAgain(before);
    else this.#giveUp();
  }

  #renew(token: string, before: Phase): void {
    this.#stage.tally.refreshed += 1;
    this.#token = token;
    this.#mayBeUsed = false;
    if (before === 'back') this.state = 'good';
  }

  #tryAgain(before: Phase): void {
    this.#stage.tally.unavailable += 1;
    if (before === 'up' || before === 'leaving') this.#mayBeUsed = true;
  }

  /** A rejected token is the end of a grant; only one whose refresh was under way may end so. */
  #giveUp(): void {
    const { tally } = this.#stage;
    if (this.#mayBeUsed) tally.endedByLostResponse += 1;
    else tally.wronglyRejected += 1;
    this.state = 'ended';
  }
}

async function untilReady(issuer: string): Promise<void> {
  const deadline = Date.now() + RETURN_WITHIN_MS;
  while (Date.now() < deadline) {
    const response = await fetch(`${issuer}/health/ready`);
    if (response.status === 200) return;
    await pause(PAUSE_MS);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { startAuthStores } from '../auth/auth-stores.ts';
import { startOurs, type AuthTarget } from '../auth/auth-targets.ts';
import { REQUESTS, SEEDS, tokenScenarios, type TokenScenario } from '../auth/seed.ts';
import { applyTokenLoad } from '../auth/token-load.ts';
import type { Checkout } from './checkout.ts';
import { takePairs, type PairedLength, type PairedSide } from './paired-work.ts';
import type { TurnPair } from './compare-turns.ts';

/** What requests leave to be done later, such as storing a batch of audit events, counts with the round that they belong to. */
const SETTLING_MS = 150;

/** How long token endpoints are measured. */
export interface TokenPairsLength extends PairedLength {
  /**
   * Seeds and requests of a round as a share of what a scenario says, up to 1: short rounds are noisier. With less than a quarter there
   * are too few grants for all connections. @default 1
   */
  readonly share?: number;
}

/**
 * Starts the auth-servers of two checkouts, each with stores of its own, and has both answer requests for tokens in turns.
 *
 * @param onMeasured called with the pairs of a scenario as soon as they are measured: all of them take many minutes
 * @throws Error when one of both does not start, or answers without all three tokens
 */
export async function takeTokenPairs(
  before: Checkout,
  now: Checkout,
  scenarios: readonly TokenScenario[],
  length: TokenPairsLength,
  onMeasured: (scenario: TokenScenario, pairs: readonly TurnPair[]) => void,
): Promise<void> {
  return withServer(before, (other) =>
    withServer(now, async (own) => {
      for (const scenario of scenarios) {
        const work = {
          ...scenario,
          unit: 'request',
          before: side(scenario, other, length.share),
          now: side(scenario, own, length.share),
        };
        onMeasured(scenario, await takePairs(work, length));
      }
    }),
  );
}

/** Those whose name contains a text. */
export function chosenTokenScenarios(text: string): readonly TokenScenario[] {
  return tokenScenarios.filter(({ name }) => name.includes(text));
}

function side({ kind, algorithm }: TokenScenario, target: AuthTarget, share = 1): PairedSide {
  let seeds: readonly string[] = [];
  return {
    target,
    prepare: async () => {
      seeds = await target.seed(kind, algorithm, Math.ceil(SEEDS[kind] * share));
      await pause(SETTLING_MS);
    },
    perform: async () => {
      const { requests } = await applyTokenLoad(
        target,
        kind,
        algorithm,
        seeds,
        Math.ceil(REQUESTS[kind] * share),
      );
      await pause(SETTLING_MS);
      return requests;
    },
  };
}

async function withServer<Result>(
  { authServer }: Checkout,
  use: (server: AuthTarget) => Promise<Result>,
): Promise<Result> {
  const stores = await startAuthStores();
  try {
    const server = await startOurs(stores, authServer);
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  } finally {
    await stores.stop();
  }
}

import type { TokenScenario } from '../auth/seed.ts';
import type { GatewayBuild } from '../targets/index.ts';
import { openCheckout } from './checkout.ts';
import { compareTurns, type TurnPair } from './compare-turns.ts';
import type { ComparedWork } from './comparison-table.ts';
import { chosenTokenScenarios, takeTokenPairs, type TokenPairsLength } from './paired-tokens.ts';

/** What to compare. */
export interface PairedAuthBenchmarkOptions extends TokenPairsLength {
  /** The checkout that this one is compared with, compiled. */
  readonly against: string;
  /** Only rows whose name contains this text. */
  readonly scenario: string;
  /** Processes of each side, one pair of them after the other: what the compiler makes of a process differs by some 3 %. */
  readonly processes: number;
  /** How both auth-servers run. @default compiled */
  readonly build?: GatewayBuild;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
  /** Shows what is measured from now on. */
  readonly begin?: (name: string) => void;
}

/**
 * Starts the auth-servers of another checkout and of this one side by side, has both answer the same requests for tokens in turns, and
 * compares the processor time of all their threads.
 *
 * @throws Error when one of both does not start, or answers without tokens
 */
export async function runPairedAuthBenchmark(
  options: PairedAuthBenchmarkOptions,
): Promise<readonly ComparedWork[]> {
  const { against, build, scenario, processes, print } = options;
  const [before, now] = [await openCheckout(against, build), await openCheckout(undefined, build)];
  const chosen = chosenTokenScenarios(scenario);
  if (chosen.length === 0) throw new Error(`There is no row whose name contains "${scenario}".`);
  const all = new Map<TokenScenario, TurnPair[]>(chosen.map((one) => [one, []]));
  for (let process = 1; process <= processes; process += 1) {
    options.begin?.(`processes ${process} of ${processes}`);
    await takeTokenPairs(before, now, chosen, options, (one, list) => {
      all.get(one)?.push(...list);
      print(`measured ${one.name}, processes ${process}: ratio ${compareTurns(list).ratio.toFixed(3)}`);
    });
  }
  return [...all].map(([{ name }, pairs]) => ({ name, unit: 'request', ...compareTurns(pairs) }));
}

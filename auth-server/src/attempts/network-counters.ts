import { amountAt, amountsOf, DEFAULT_SHARES, shareKeysOf } from '@trellis/runtime/admission';
import type { AttemptLimit } from './attempt-store.ts';
import type { Counter } from './reserve-together.ts';

/** A counter for each network of an address, the wider ones with a higher limit. @param what is counted */
export function countersByNetwork(
  what: string,
  address: string,
  { failures, windowS }: AttemptLimit,
): readonly Counter[] {
  const amounts = amountsOf(failures, DEFAULT_SHARES.ofCaller);
  return shareKeysOf({ address }).map((key, level) => ({
    name: `${what}:${key}`,
    limit: { failures: amountAt(amounts, level), windowS },
  }));
}

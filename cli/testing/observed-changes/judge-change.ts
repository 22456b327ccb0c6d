import { changeKinds, type ChangeCode } from '@trellis/composition';
import { isHarm } from './client-experience.ts';
import type { ObservedChange, ObservedOrders } from './observe-change.ts';

/** Where a check and a client disagree about a change. */
export interface Judgement {
  /** How many things a check has said that a client could contradict. */
  readonly decisions: number;
  /** Called safe, and a client came to harm. */
  readonly falseSafe: readonly string[];
  /** Called breaking, and no client came to harm. */
  readonly falseUnsafe: readonly string[];
  /** Those of them for which no reason is known. */
  readonly unexplained: readonly string[];
  /** Why the check is stricter than what is seen; absent where it is not. */
  readonly reason?: string;
}

/** Why a check is stricter than what is seen here. */
const reasons: Readonly<Partial<Record<ChangeCode, string>>> = {
  POLICY_ADDED:
    'Which callers a policy denies is decided by a program and recorded nowhere, so that an operation that was not recorded can not excuse it.',
  ROUTING_URL_INSECURE: 'Who listens on the way is no client of the run.',
};

/** Compares what a check said with what was seen. */
export function judgeChange(change: ObservedChange): Judgement {
  const { code, verdicts, seen, orders } = change;
  const used = seen.used && isHarm(seen.used);
  // What is shown to more is shown, whatever was sent before.
  const unused = changeKinds[code].exposure ? used : seen.unused && isHarm(seen.unused);
  const decisions: Decision[] = [
    decide('without recorded operations', verdicts.without, used),
    decide('when used', verdicts.used, used),
    decide('when not used', verdicts.unused, unused),
    ...(orders.without ? ordersOf('without recorded operations', orders.without) : []),
    ...(orders.used ? ordersOf('when used', orders.used) : []),
  ].filter((one) => one !== undefined);
  const reason = reasons[code];
  const falseUnsafe = decisions.filter(({ outcome }) => outcome === 'false unsafe').map(({ what }) => what);
  return {
    decisions: decisions.length,
    falseSafe: decisions.filter(({ outcome }) => outcome === 'false safe').map(({ what }) => what),
    falseUnsafe,
    unexplained: reason === undefined ? falseUnsafe : [],
    ...(reason !== undefined && falseUnsafe.length > 0 && { reason }),
  };
}

interface Decision {
  readonly what: string;
  readonly outcome: 'right' | 'false safe' | 'false unsafe';
}

/** A dangerous change may do harm or not: that is what the word says. */
function decide(what: string, verdict: string | null, isHarmed: boolean | null): Decision | undefined {
  if (verdict === null || isHarmed === null) return undefined;
  if (verdict === 'safe' && isHarmed) return { what, outcome: 'false safe' };
  if (verdict === 'breaking' && !isHarmed) return { what, outcome: 'false unsafe' };
  return { what, outcome: 'right' };
}

function ordersOf(what: string, { predicted, seen }: ObservedOrders): readonly Decision[] {
  return (['deployFirst', 'publishFirst'] as const).map((order) => {
    const name = `${what}, ${order === 'deployFirst' ? 'deployed' : 'published'} first`;
    if (predicted[order] === seen[order]) return { what: name, outcome: 'right' };
    return { what: name, outcome: predicted[order] === 'works' ? 'false safe' : 'false unsafe' };
  });
}

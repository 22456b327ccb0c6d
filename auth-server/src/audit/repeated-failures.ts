import { clientNetworkOf } from '@trellis/runtime/admission';

/** A failure that anybody can cause as often as they like. */
export interface Failure {
  readonly event:
    'sign_in_failed' | 'client_authentication_failed' | 'assertion_rejected' | 'token_exchange_rejected';
  readonly address: string;
  readonly clientId?: string | undefined;
  /** Why, in the words of the event. */
  readonly why: string;
}

/** Failures of one kind, client and network that were counted and not written one by one. */
export interface CountedFailures extends Omit<Failure, 'address'> {
  /** In CIDR notation; undefined for all networks beyond those that are counted apart. */
  readonly network: string | undefined;
  readonly count: number;
}

/** Counts failures that repeat. */
export interface RepeatedFailures {
  /** @returns whether it is to be written by itself; else it has been counted */
  isFirst(failure: Failure): boolean;
  /** Hands over what was counted so far. */
  flush(): void;
}

/** What counting works with. */
export interface RepeatedFailuresOptions {
  /** Called at the end of a window, once for each kind, client and network. */
  readonly onCounted: (failures: CountedFailures) => void;
  /** @default 60_000 */
  readonly windowMs?: number;
}

interface Count extends Omit<CountedFailures, 'count'> {
  seen: number;
}

/** Failures of one kind, client and network that are written by themselves in a window. */
const FIRST = 5;
/** Kinds, clients and networks that are counted apart in a window: no more rows than six times as many. */
const MAX_COUNTS = 500;
const WINDOW_MS = 60_000;

/** Counts by windows, which begin with a failure. */
export function countRepeatedFailures({
  onCounted,
  windowMs = WINDOW_MS,
}: RepeatedFailuresOptions): RepeatedFailures {
  const counts = new Map<string, Count>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const all = [...counts.values()];
    counts.clear();
    for (const { seen, ...failures } of all) {
      const count = seen - firstOf(failures);
      if (count > 0) onCounted({ ...failures, count });
    }
  };
  return {
    isFirst: (failure) => {
      timer ??= setTimeout(flush, windowMs).unref();
      const count = countOf(counts, failure);
      count.seen += 1;
      return count.seen <= firstOf(count);
    },
    flush,
  };
}

function countOf(counts: Map<string, Count>, { address, ...failure }: Failure): Count {
  const network = clientNetworkOf(address).prefixes.at(-1);
  const own = { ...failure, network, seen: 0 };
  const known = counts.get(keyOf(own));
  if (known) return known;
  const isRoom = counts.size < MAX_COUNTS;
  const fresh = isRoom ? own : { ...own, clientId: undefined, network: undefined };
  const count = counts.get(keyOf(fresh)) ?? fresh;
  counts.set(keyOf(count), count);
  return count;
}

function keyOf({ event, clientId = '', network = '', why }: Omit<Count, 'seen'>): string {
  return [event, why, network, clientId].join('\n');
}

/** What is beyond those that are counted apart is counted from the first. */
function firstOf({ network }: Pick<Count, 'network'>): number {
  return network === undefined ? 0 : FIRST;
}

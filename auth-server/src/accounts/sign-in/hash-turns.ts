import { amountsOf, DEFAULT_SHARES, FairQueue, type QueueCaller } from '@trellis/runtime/admission';
import { OAuthError, tooManyRequests } from '../../errors.ts';

/** Does work when its turn has come. */
export type InTurn = <Result>(work: () => Promise<Result>, caller: QueueCaller) => Promise<Result>;

interface Turn {
  readonly begin: (done: (cost: number) => void) => void;
  readonly giveUp: () => void;
}

/** Most callers that wait; more are rejected with Retry-After. */
const MAX_WAITING = 100;
/** Longest wait, milliseconds: a user has given up by then. */
const MAX_WAIT_MS = 15_000;
/** Seconds in which a good part of those who wait have had their turns. */
const RETRY_AFTER_S = 5;

/**
 * Turns at something slow: so many at a time, fair by network, and four of five for those who are known while both kinds
 * wait. A known one finds a place in a queue that is full of others.
 *
 * @throws OAuthError too_many_requests when as many wait of the caller, or of a network around it, as may;
 *   temporarily_unavailable when too many wait of all, or the caller for too long. RFC 6585 §4, RFC 9110 §15.6.4
 */
export function createHashTurns(concurrency: number): InTurn {
  const queue = new FairQueue<Turn>({
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: amountsOf(MAX_WAITING, DEFAULT_SHARES.ofTotal),
    onDisplaced: (turn) => turn.giveUp(),
  });
  const serve = (): void => {
    while (queue.served < concurrency) {
      const served = queue.next();
      if (!served) return;
      served.item.begin(served.done);
    }
  };
  return async (work, caller) => {
    const done = await waitForTurn(queue, caller, serve);
    const from = performance.now();
    try {
      return await work();
    } finally {
      done(performance.now() - from);
      serve();
    }
  };
}

function waitForTurn(
  queue: FairQueue<Turn>,
  caller: QueueCaller,
  serve: () => void,
): Promise<(cost: number) => void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(deadline);
      reject(tooBusy());
    };
    const begin = (done: (cost: number) => void): void => {
      clearTimeout(deadline);
      resolve(done);
    };
    const place = queue.add({ begin, giveUp }, caller);
    if (typeof place === 'string') {
      reject(place === 'share' ? tooMany(caller) : tooBusy());
      return;
    }
    const deadline = setTimeout(() => {
      place.leave();
      giveUp();
    }, MAX_WAIT_MS);
    serve();
  });
}

function tooMany({ keys: [own] }: QueueCaller): OAuthError {
  const whose = own.startsWith('network:') ? 'from this network' : 'of this account';
  return tooManyRequests(`Too many passwords ${whose} are being checked.`, RETRY_AFTER_S);
}

function tooBusy(): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    `Too many sign-ins at this moment. Try again in ${RETRY_AFTER_S} s.`,
    {
      headers: { 'retry-after': String(RETRY_AFTER_S) },
    },
  );
}

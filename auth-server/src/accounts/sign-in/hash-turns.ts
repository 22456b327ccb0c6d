import { amountsOf, DEFAULT_SHARES, FairQueue, type QueueCaller } from '@trellis/admission';
import { OAuthError } from '../../errors.ts';

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

/**
 * Turns at something slow: so many at a time, fair by network, and four of five for those who are known while both kinds
 * wait. A known one finds a place in a queue that is full of others.
 *
 * @throws OAuthError temporarily_unavailable when too many wait, or for too long
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
      reject(tooBusy());
      return;
    }
    const deadline = setTimeout(() => {
      place.leave();
      giveUp();
    }, MAX_WAIT_MS);
    serve();
  });
}

function tooBusy(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many people sign in at this moment.', {
    headers: { 'retry-after': '5' },
  });
}

import type { TargetProcess } from '../target-process.ts';
import { LiveClients } from './live-clients.ts';
import type { PairedSide, PairedWork } from './paired-work.ts';

/** Live queries as work of two gateways, whose clients are connected in their own turns alone. A unit is one tick. */
export function pairedLiveQueries(
  name: string,
  before: TargetProcess,
  now: TargetProcess,
  countCalls: () => Promise<number>,
): PairedWork {
  return {
    name,
    unit: 'tick',
    before: side(before, countCalls),
    now: side(now, countCalls),
  };
}

function side(target: TargetProcess, countCalls: () => Promise<number>): PairedSide {
  const clients = new LiveClients();
  return {
    target,
    begin: () => clients.join(target.url.replace('http', 'ws')),
    perform: () => clients.listen(countCalls),
    end: () => clients.leave(),
  };
}

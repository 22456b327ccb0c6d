import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { QueryPlan } from '@apollo/query-planner';
import { LeftKeys } from '../caching/left-keys.ts';
import { S3FifoCache } from '../caching/s3-fifo-cache.ts';
import { GATEWAY_ITSELF, type PlannerCaller } from './threads/job-waiters.ts';

const MAX_RESPONSES = 5_000;
/** Of all of them. */
const MAX_BYTES = 8_000_000;
/** What a response takes up beside its bytes and its text. */
const RESPONSE_BYTES = 300;

interface PlannerResult {
  /** One character for each byte: buffers would take up more around them. */
  readonly compressed: string;
}

/**
 * What the planner has answered, in little room. To plan takes many times as long as to make a plan executable again, and a
 * thread: so executable plans, which take up fifty times as much, need not be stored for as long.
 *
 * A response is stored when its text is planned for the second time. Writing one down and compressing it costs the event loop a tenth
 * of what a new operation does, and most are never asked for twice while executable plans have room.
 */
export class PlannerResults {
  readonly #results = new S3FifoCache<PlannerResult>({
    maxEntries: MAX_RESPONSES,
    maxWeight: MAX_BYTES,
    weigh: ({ compressed }, key) => compressed.length + key.length + RESPONSE_BYTES,
  });
  /** What was planned once. */
  readonly #once = new LeftKeys(MAX_RESPONSES);

  /**
   * What was answered to a text twice before; else what it is planned as now.
   *
   * @param caller whose share it takes
   * @throws what `plan` throws
   */
  async of(
    text: string,
    overrideLabels: readonly string[],
    caller: PlannerCaller,
    plan: () => Promise<QueryPlan>,
  ): Promise<QueryPlan> {
    const key = overrideLabels.length === 0 ? text : JSON.stringify([text, overrideLabels]); // a text is no JSON
    const known = this.#results.get(key);
    if (known) return expand(known);
    const planned = await plan();
    if (!this.#once.takeOut(key)) this.#once.add(key);
    else this.#results.set(key, compress(planned), caller === GATEWAY_ITSELF ? undefined : caller.keys);
    return planned;
  }
}

function compress(plan: QueryPlan): PlannerResult {
  return { compressed: deflateRawSync(JSON.stringify(plan), { level: 1 }).toString('latin1') };
}

function expand({ compressed }: PlannerResult): QueryPlan {
  return JSON.parse(inflateRawSync(Buffer.from(compressed, 'latin1')).toString()) as QueryPlan; // written above
}

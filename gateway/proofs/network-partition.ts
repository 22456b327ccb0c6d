import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { proof, type ProofOptions } from '@trellis/testkit';
import { openFaultStage, type FaultStage } from '../test-fixtures/faulty-subgraph/fault-stage.ts';
import { collectedHeap } from '../test-fixtures/load/collected-heap.ts';
import { quantile, startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';

interface Size {
  readonly perSecond: number;
  readonly phaseMs: number;
  readonly severedMs: number;
  /** By how much more than before may be in use in the end. A short run proves little of the heap. */
  readonly maxGrowthPercent: number;
  /** By how much longer than its limit a call may take where the machine is busy. */
  readonly slackMs: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { perSecond: 40, phaseMs: 1_000, severedMs: 2_000, maxGrowthPercent: 30, slackMs: 5_000 },
  full: { perSecond: 200, phaseMs: 10_000, severedMs: 30_000, maxGrowthPercent: 5, slackMs: 500 },
};
const SUBGRAPH_MS = 1_000;
const PAUSE_MS = 1_000;
const BACK_WITHIN_MS = 60_000;
/** A time that comes due, a file that is being read: they come and go. */
const FEW_DESCRIPTORS = 3;

/** F-10: a network that drops everything between the gateway and a subgraph, and says nothing. */
proof({
  name: 'network-partition',
  description: 'A subgraph that can not be reached holds up nothing else, and leaves nothing behind.',
  async run({ size }) {
    const settings = SIZES[size];
    const stage = await openFaultStage({ subgraphMs: SUBGRAPH_MS, pauseMs: PAUSE_MS });
    try {
      await loadFor(stage, settings.perSecond, settings.phaseMs);
      const before = await inUse();
      stage.link.sever();
      const during = await loadFor(stage, settings.perSecond, settings.severedMs);
      stage.link.restore();
      const after = await loadFor(stage, settings.perSecond, settings.phaseMs);
      const isAnswered = await stage.affected();
      const back = await untilBack(before, settings.maxGrowthPercent);
      const slowestMs = quantile(during, 1);
      return {
        passed:
          during.failed + after.failed === 0 &&
          isAnswered &&
          slowestMs <= SUBGRAPH_MS + settings.slackMs &&
          back.afterMs <= BACK_WITHIN_MS,
        figures: {
          severedMs: settings.severedMs,
          requests: during.sent,
          failed: during.failed + after.failed,
          slowestMs: Math.round(slowestMs),
          descriptors: `${before.descriptors} ${back.descriptors}`,
          heapMb: `${megabytes(before.heap)} ${megabytes(back.heap)}`,
          backAfterMs: Math.round(back.afterMs),
          ...(during.reasons[0] !== undefined && { reason: during.reasons[0] }),
        },
      };
    } finally {
      await stage.close();
    }
  },
});

/** Half of the requests needs the subgraph. */
async function loadFor(stage: FaultStage, perSecond: number, ms: number): Promise<LoadReport> {
  const load = startLoad({
    perSecond,
    send: async (number) => void (number % 2 === 0 ? await stage.affected() : await stage.unaffected()),
  });
  await sleep(ms);
  return load.stop();
}

interface InUse {
  /** Files and sockets. */
  readonly descriptors: number;
  /** Bytes of live objects. */
  readonly heap: number;
}

async function inUse(): Promise<InUse> {
  const heap = await collectedHeap();
  return { descriptors: readdirSync('/proc/self/fd').length, heap };
}

async function untilBack(
  before: InUse,
  maxGrowthPercent: number,
): Promise<InUse & { readonly afterMs: number }> {
  const start = performance.now();
  const allowed = 1 + maxGrowthPercent / 100;
  for (;;) {
    const now = await inUse();
    const afterMs = performance.now() - start;
    const isBack =
      now.descriptors <= before.descriptors * allowed + FEW_DESCRIPTORS && now.heap <= before.heap * allowed;
    if (isBack) return { ...now, afterMs };
    if (afterMs > BACK_WITHIN_MS) return { ...now, afterMs: Infinity };
    await sleep(500);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

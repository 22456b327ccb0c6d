import { readFileSync } from 'node:fs';
import { applyLoad } from '../load.ts';
import type { Operation } from '../operations.ts';
import type { Scenario } from '../scenarios.ts';
import { startTarget } from '../target-process.ts';
import type { MeasuredGraph, Target } from '../targets/index.ts';
import type { TurnPair } from './compare-turns.ts';
import type { PairedLength, WorkPairs } from './paired-work.ts';
import { threadTimesOf } from './thread-times.ts';

/** A gateway that records in every other turn: `recording-turns-gateway.mjs`. */
interface RecordingTarget {
  readonly target: Target;
  readonly graph: MeasuredGraph;
  /** Where the gateway writes its turns. */
  readonly file: string;
}

/**
 * Sends the requests of a scenario, and reads what the gateway has measured: pairs of its turns, one of which was recorded. A recorded
 * turn pays for the whole of it but the writing of intervals, which meets both alike.
 */
export async function measureRecordingShare(
  scenario: Scenario,
  { target, graph, file }: RecordingTarget,
  { pairs, warmUpCpuMs, turnCpuMs }: PairedLength,
): Promise<WorkPairs> {
  const command: Target['command'] = (...given) => [...target.command(...given), file];
  const gateway = await startTarget({ ...target, command }, graph);
  const spentMs = (): number => [...threadTimesOf(gateway.pid).values()].reduce((sum, ms) => sum + ms, 0);
  let warmUpRequests = 0;
  try {
    const [warmMs, untilMs] = [warmUpCpuMs, warmUpCpuMs + pairs * turnCpuMs].map((ms) => spentMs() + ms);
    for (let round = 0; round === 0 || spentMs() < (untilMs ?? 0); round += 1) {
      const operation = (index: number): Operation => scenario.operation(index, round);
      const { requests } = await applyLoad({ ...scenario, url: gateway.url, operation });
      if (spentMs() < (warmMs ?? 0)) warmUpRequests += requests;
    }
  } finally {
    await gateway.stop();
  }
  const turns = readTurns(file).slice(Math.ceil(warmUpRequests / OPERATIONS_OF_PAIR));
  return { name: `${scenario.name}, turns of one process`, unit: 'request', pairs: turns };
}

/** Of two turns, as the gateway has them. */
const OPERATIONS_OF_PAIR = 2_000;

type WrittenTurns = readonly [withoutMs: number, recordedMs: number];

function readTurns(file: string): readonly TurnPair[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [withoutMs, recordedMs] = JSON.parse(line) as WrittenTurns; // our own program wrote it
    return {
      before: { totalMs: withoutMs, mainMs: withoutMs },
      now: { totalMs: recordedMs, mainMs: recordedMs },
    };
  });
}

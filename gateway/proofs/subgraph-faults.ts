import { setTimeout as sleep } from 'node:timers/promises';
import { proof, type ProofOptions, type ProofOutcome } from '@trellis/testkit';
import { openFaultStage, type FaultStage } from '../test-fixtures/faulty-subgraph/fault-stage.ts';
import type { Behaviour } from '../test-fixtures/faulty-subgraph/messages.ts';
import { quantile, startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';

interface Size {
  readonly perSecond: number;
  readonly kills: number;
  readonly frozenMs: number;
  readonly phaseMs: number;
  /** How much later than usual the subgraph answers. */
  readonly lateMs: number;
  /** How often that is compared with before: a machine that others use has moments of its own. */
  readonly lateRounds: number;
  /** From the start of a process that was killed to the first good response. */
  readonly recoveryMs: number;
  /** How much later than before responses may be that the fault has nothing to do with, and by how much at least. */
  readonly slower: number;
  readonly slackMs: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: {
    perSecond: 40,
    kills: 2,
    frozenMs: 3_000,
    phaseMs: 1_000,
    lateMs: 1_000,
    lateRounds: 1,
    recoveryMs: 5_000,
    slower: 4,
    slackMs: 500,
  },
  full: {
    perSecond: 200,
    kills: 20,
    frozenMs: 30_000,
    phaseMs: 10_000,
    lateMs: 2_000,
    lateRounds: 3,
    recoveryMs: 1_000,
    slower: 1.5,
    slackMs: 25,
  },
};
const SUBGRAPH_MS = 3_000;
const PAUSE_MS = 1_000;
const MIB = 1_048_576;

/** F-01 to F-04: a subgraph that dies, hangs, is late, or answers what is no response. */
proof({
  name: 'subgraph-faults',
  description:
    'What one subgraph does wrong is reported at its own fields; everything else is answered as before.',
  async run({ size }) {
    const stage = await openFaultStage({ subgraphMs: SUBGRAPH_MS, pauseMs: PAUSE_MS });
    try {
      const settings = SIZES[size];
      const steps = [killed, frozen, late, misbehaving];
      const outcomes: ProofOutcome[] = [];
      for (const step of steps) outcomes.push(await step(stage, settings));
      return {
        passed: outcomes.every(({ passed }) => passed),
        figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)) as ProofOutcome['figures'],
      };
    } finally {
      await stage.close();
    }
  },
});

/** F-01: kill -9 in the midst of requests, again and again. */
async function killed(stage: FaultStage, { perSecond, kills, recoveryMs }: Size): Promise<ProofOutcome> {
  let tokens = 0;
  const load = startLoad({
    perSecond,
    async send(number) {
      if (number % 4 === 0) await stage.affected();
      else if (number % 4 === 1) await stage.mutate(`token ${(tokens += 1)}`);
      else await stage.unaffected();
    },
  });
  let slowestMs = 0;
  for (let round = 0; round < kills; round += 1) {
    await sleep(300);
    await stage.subgraph.kill();
    await sleep(1_000);
    await stage.subgraph.restart();
    slowestMs = Math.max(slowestMs, await untilAnswered(stage));
  }
  const report = await load.stop();
  const written = stage.journal();
  const repeated = written.length - new Set(written).size;
  return {
    passed: report.failed === 0 && repeated === 0 && written.length > 0 && slowestMs <= recoveryMs,
    figures: {
      kills,
      killRequests: report.sent,
      killFailed: report.failed,
      mutationsRepeated: repeated,
      goodAfterMs: Math.round(slowestMs),
      ...reasonOf('killReason', report),
    },
  };
}

/** F-02: SIGSTOP. */
async function frozen(stage: FaultStage, size: Size): Promise<ProofOutcome> {
  const { perSecond, frozenMs, phaseMs, slower, slackMs } = size;
  const before = await unaffectedFor(stage, perSecond, phaseMs);
  stage.subgraph.freeze();
  const timedOutMs = await timeOf(() => stage.affected());
  const hanging = startLoad({ perSecond, send: () => stage.affected().then(() => undefined) });
  await sleep(2 * SUBGRAPH_MS);
  await hanging.stop(); // it has opened by now
  let waited = 0;
  const callsBefore = await stage.calls();
  const openSince = performance.now();
  const afterOpen = startLoad({
    perSecond,
    async send() {
      const start = performance.now();
      await stage.affected();
      if (performance.now() - start >= SUBGRAPH_MS) waited += 1;
    },
  });
  const during = await unaffectedFor(stage, perSecond, frozenMs);
  const opened = await afterOpen.stop();
  const openMs = performance.now() - openSince;
  const calls = (await stage.calls()) - callsBefore;
  stage.subgraph.thaw();
  const recoveredMs = await untilAnswered(stage);
  const allowedMs = quantile(before, 0.99) * slower + slackMs;
  const p99Ms = quantile(during, 0.99);
  // one call in each pause finds out whether it is back
  const allowedCalls = Math.max(opened.sent * 0.01, openMs / PAUSE_MS + 2);
  return {
    passed:
      during.failed + opened.failed === 0 &&
      p99Ms <= allowedMs &&
      calls <= allowedCalls &&
      timedOutMs >= SUBGRAPH_MS * 0.9 &&
      timedOutMs <= SUBGRAPH_MS * 1.1 + slackMs &&
      recoveredMs <= PAUSE_MS + size.recoveryMs,
    figures: {
      timedOutMs: Math.round(timedOutMs),
      frozenP99Ms: Math.round(p99Ms),
      baselineP99Ms: Math.round(quantile(before, 0.99)),
      callsAfterOpen: calls,
      requestsWaited: waited,
      ofRequests: opened.sent,
      recoveredMs: Math.round(recoveredMs),
      ...reasonOf('frozenReason', opened),
    },
  };
}

const FIRST_PART_SLOWER = 1.1;

/** F-03: what needs the subgraph is late, or deferred; all else is as before. Of several rounds, the medians count. */
async function late(stage: FaultStage, size: Size): Promise<ProofOutcome> {
  const before: LateLoad[] = [];
  const during: LateLoad[] = [];
  for (let round = 0; round < size.lateRounds; round += 1) {
    stage.subgraph.behave({ kind: 'good' });
    before.push(await lateLoad(stage, size));
    stage.subgraph.behave({ kind: 'late', ms: size.lateMs });
    during.push(await lateLoad(stage, size));
  }
  stage.subgraph.behave({ kind: 'good' });
  const first = { before: medianP99(before, firstPartsOf), during: medianP99(during, firstPartsOf) };
  const other = { before: medianP99(before, unaffectedOf), during: medianP99(during, unaffectedOf) };
  const reports = [...before, ...during].map(({ report }) => report);
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  return {
    passed:
      failed === 0 &&
      first.during <= first.before * FIRST_PART_SLOWER + size.slackMs &&
      other.during <= other.before * FIRST_PART_SLOWER + size.slackMs &&
      first.during < size.lateMs,
    figures: {
      lateRequests: during.reduce((sum, { report }) => sum + report.sent, 0),
      lateFailed: failed,
      firstPartP99Ms: Math.round(first.during),
      firstPartBaselineMs: Math.round(first.before),
      unaffectedP99Ms: Math.round(other.during),
      unaffectedBaselineMs: Math.round(other.before),
      ...reasonOf('lateReason', ...reports),
    },
  };
}

const firstPartsOf = ({ firstPartsMs }: LateLoad): readonly number[] => firstPartsMs;
const unaffectedOf = ({ unaffectedMs }: LateLoad): readonly number[] => unaffectedMs;

function medianP99(loads: readonly LateLoad[], latenciesOf: (load: LateLoad) => readonly number[]): number {
  const sorted = loads.map((load) => p99(latenciesOf(load))).toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

interface LateLoad {
  readonly report: LoadReport;
  readonly firstPartsMs: readonly number[];
  readonly unaffectedMs: readonly number[];
}

/** A quarter of the requests needs the subgraph, a quarter of them defers what does. */
async function lateLoad(stage: FaultStage, { perSecond, phaseMs }: Size): Promise<LateLoad> {
  const firstPartsMs: number[] = [];
  const unaffectedMs: number[] = [];
  const load = startLoad({
    perSecond,
    async send(number) {
      const start = performance.now();
      if (number % 4 === 0) await stage.affected();
      else if (number % 4 === 1) firstPartsMs.push(await stage.deferred());
      else {
        await stage.unaffected();
        unaffectedMs.push(performance.now() - start);
      }
    },
  });
  await sleep(phaseMs);
  return { report: await load.stop(), firstPartsMs, unaffectedMs };
}

function p99(latenciesMs: readonly number[]): number {
  return quantile({ latenciesMs: latenciesMs.toSorted((left, right) => left - right) }, 0.99);
}

const MISBEHAVIOURS: readonly Behaviour[] = [
  { kind: 'garbage' },
  { kind: 'wrong-types' },
  { kind: 'huge', bytes: 1_024 * MIB },
  { kind: 'endless' },
  { kind: 'drip' },
];

/** F-04; S-110 to S-113 and S-038. The gateway is in this process: so would be what pollutes its prototypes. */
async function misbehaving(stage: FaultStage, { perSecond, phaseMs }: Size): Promise<ProofOutcome> {
  const rssBefore = process.memoryUsage().rss;
  const reports: LoadReport[] = [];
  for (const behaviour of MISBEHAVIOURS) {
    stage.subgraph.behave(behaviour);
    // floods cost the machine as much as they cost us
    const rate = behaviour.kind === 'huge' || behaviour.kind === 'endless' ? perSecond / 20 : perSecond;
    const load = startLoad({
      perSecond: rate,
      send: async (number) => void (number % 2 === 0 ? await stage.affected() : await stage.unaffected()),
    });
    await sleep(phaseMs);
    reports.push(await load.stop());
  }
  stage.subgraph.behave({ kind: 'good' });
  const isPolluted = 'polluted' in {};
  const rssMb = (process.memoryUsage().rss - rssBefore) / 1e6;
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  return {
    passed: failed === 0 && !isPolluted && rssMb <= 100,
    figures: {
      misbehavedRequests: reports.reduce((sum, { sent }) => sum + sent, 0),
      malformedResponses: failed,
      rssGrowthMb: Math.round(rssMb),
      ...reasonOf('misbehavedReason', ...reports),
    },
  };
}

function reasonOf(name: string, ...reports: readonly LoadReport[]): Readonly<Record<string, string>> {
  const [reason] = reports.flatMap(({ reasons }) => reasons);
  return reason === undefined ? {} : { [name]: reason };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function unaffectedFor(stage: FaultStage, perSecond: number, ms: number): Promise<LoadReport> {
  const load = startLoad({ perSecond, send: () => stage.unaffected() });
  await sleep(ms);
  return load.stop();
}

const RECOVERY_DEADLINE_MS = 15_000;

/** @returns milliseconds */
async function untilAnswered(stage: FaultStage): Promise<number> {
  const start = performance.now();
  while (!(await stage.affected())) {
    if (performance.now() - start > RECOVERY_DEADLINE_MS) return Infinity;
    await sleep(20);
  }
  return performance.now() - start;
}

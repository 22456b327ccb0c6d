import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '@trellis/demo-data';
import { v7 } from 'uuid';
import type { ContentServices } from '../../harness/content-services.ts';
import { audit, installAudit, type AuditFindings } from './audit.ts';
import { Ledger } from './ledger.ts';
import { createSender } from './send-mutation.ts';
import { isSettled } from './settled.ts';
import type { Databases } from './with-services.ts';
import { write } from './writer.ts';

/** What a fault may watch while it lasts. */
export interface ChaosProgress {
  /** How often writers had to send something again. */
  readonly retries: () => number;
  /** How many mutations have been answered. */
  readonly acknowledged: () => number;
}

/** Something that breaks, and has come back when it resolves. */
export type Fault = (progress: ChaosProgress) => Promise<void>;

/** What {@link runChaos} does. */
export interface ChaosOptions {
  readonly services: ContentServices;
  readonly databases: Databases;
  readonly mutations: number;
  /** One after the other, spread evenly over the mutations. */
  readonly faults: readonly Fault[];
  readonly seed: number;
}

/** What came of it. */
export interface ChaosOutcome {
  readonly findings: AuditFindings;
  readonly mutations: number;
  /** How often something had to be sent again. */
  readonly retries: number;
  /** From the last mutation, or the end of the last fault, until everything published was applied. */
  readonly drainedMs: number;
}

const WRITERS = 16;
const DRAIN_DEADLINE_MS = 60_000;
const POLL_MS = 20;

/** Writes with 16 writers while faults happen, waits until everything has settled, and compares. */
export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { services, databases, mutations, faults, seed } = options;
  await installAudit(databases);
  const ledger = new Ledger();
  const progress = { started: 0, faultsDone: 0 };
  const spacing = mutations / (faults.length + 1);

  /** No one runs ahead of the faults, so that each of them meets writers. */
  const mayGoOn = async (): Promise<boolean> => {
    while (progress.faultsDone < faults.length && progress.started >= (progress.faultsDone + 2) * spacing)
      await delay(POLL_MS);
    progress.started += 1;
    return progress.started <= mutations;
  };
  const writers = Array.from({ length: WRITERS }, (_, index) => {
    const random = createRandom(seed * WRITERS + index);
    const userId = v7();
    return { userId, random, sender: createSender(services, userId, random), ledger, mayGoOn };
  });
  const retries = (): number => writers.reduce((sum, { sender }) => sum + sender.retries, 0);
  const breaking = (async () => {
    for (const [index, fault] of faults.entries()) {
      while (ledger.acknowledged < (index + 1) * spacing - WRITERS) await delay(POLL_MS);
      await fault({ retries, acknowledged: () => ledger.acknowledged });
      progress.faultsDone += 1;
    }
  })();
  await Promise.all([breaking, ...writers.map(write)]);

  const drainedMs = await drain(databases);
  return {
    findings: await audit(databases, ledger),
    mutations: ledger.acknowledged,
    retries: retries(),
    drainedMs,
  };
}

async function drain(databases: Databases): Promise<number> {
  const startedAt = performance.now();
  while (!(await isSettled(databases)) && performance.now() - startedAt < DRAIN_DEADLINE_MS)
    await delay(POLL_MS);
  return Math.round(performance.now() - startedAt);
}

/** Whether nothing at all was found. */
export function isClean(findings: AuditFindings): boolean {
  return Object.values(findings).every((count) => count === 0);
}

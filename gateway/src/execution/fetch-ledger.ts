import type { FetchStep } from '../plan/fetch-step.ts';
import type { DeferredPlan, PlanStep } from '../plan/plan-steps.ts';

/** Which fetches of a run are over. */
export interface FetchLedger {
  done(id: string | undefined): void;
  /** Settled when all of these are over. */
  allDone(ids: readonly string[]): Promise<unknown>;
}

/** A fetch that was made several (its requirements clash) is over when all of them are. */
export function createFetchLedger(plan: DeferredPlan): FetchLedger {
  const entries = new Map<string, Entry>();
  for (const id of fetchIds(plan)) {
    const entry = entries.get(id);
    if (entry) entry.left += 1;
    else entries.set(id, createEntry());
  }
  return {
    done(id) {
      const entry = id === undefined ? undefined : entries.get(id);
      if (!entry) return;
      entry.left -= 1;
      if (entry.left === 0) entry.resolve();
    },
    allDone: (ids) => Promise.all(ids.map((id) => entries.get(id)?.over ?? Promise.resolve())),
  };
}

interface Entry {
  left: number;
  readonly over: Promise<void>;
  readonly resolve: () => void;
}

function createEntry(): Entry {
  let resolve = (): void => {};
  const over = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { left: 1, over, resolve };
}

function* fetchIds({ first, later }: DeferredPlan): Iterable<string> {
  for (const { id } of fetchesOf(first)) if (id !== undefined) yield id;
  for (const part of later) yield* fetchIds(part.plan);
}

/** The fetches of a step, at any depth. */
export function* fetchesOf(step: PlanStep | undefined): Iterable<FetchStep> {
  if (step?.kind === 'fetch') yield step;
  else for (const child of step?.steps ?? []) yield* fetchesOf(child);
}

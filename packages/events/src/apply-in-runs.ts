import type { SequencedEvent } from './domain-event.ts';

/** What a consumer does with events, most of which say what their subject is now. */
export interface RunHandler<Saved> {
  /** Undefined for an event of another kind. */
  readonly readSaved: (event: SequencedEvent) => Saved | undefined;
  /** Takes over what several subjects are now, each once. */
  readonly save: (things: readonly Saved[]) => Promise<void>;
  /** Applies an event of another kind. */
  readonly applyOther: (event: SequencedEvent) => Promise<void>;
}

/**
 * Applies events in their order, and those that follow one another and say what different subjects are now in one go. An event
 * is never left out, not even where the next one says something else of the same subject.
 */
export async function applyInRuns<Saved>(
  events: readonly SequencedEvent[],
  { readSaved, save, applyOther }: RunHandler<Saved>,
): Promise<void> {
  const run = new Map<string, Saved>();
  const saveRun = async (): Promise<void> => {
    if (run.size > 0) await save([...run.values()]);
    run.clear();
  };
  for (const event of events) {
    const saved = readSaved(event);
    if (saved === undefined || run.has(event.subject)) await saveRun();
    if (saved === undefined) await applyOther(event);
    else run.set(event.subject, saved);
  }
  await saveRun();
}

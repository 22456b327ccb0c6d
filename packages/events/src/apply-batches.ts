import type { SequencedEvent } from './domain-event.ts';

/** What a consumer does with events, most of which say what their subject is now. */
export interface BatchHandler<Saved> {
  /** Undefined for an event of another kind. */
  readonly readSaved: (event: SequencedEvent) => Saved | undefined;
  /** Saves what several subjects are now, each once. */
  readonly save: (things: readonly Saved[]) => Promise<void>;
  /** Applies an event of another kind. */
  readonly applyOther: (event: SequencedEvent) => Promise<void>;
}

/**
 * Applies events in their order, and those that follow one another and say what different subjects are now in one batch. An event
 * is never left out, not even where the next one says something else of the same subject.
 */
export async function applyBatches<Saved>(
  events: readonly SequencedEvent[],
  { readSaved, save, applyOther }: BatchHandler<Saved>,
): Promise<void> {
  const batch = new Map<string, Saved>();
  const saveBatch = async (): Promise<void> => {
    if (batch.size > 0) await save([...batch.values()]);
    batch.clear();
  };
  for (const event of events) {
    const saved = readSaved(event);
    if (saved === undefined || batch.has(event.subject)) await saveBatch();
    if (saved === undefined) await applyOther(event);
    else batch.set(event.subject, saved);
  }
  await saveBatch();
}

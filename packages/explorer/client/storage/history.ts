import { readStored, writeStored } from './tabs.ts';

/** An operation that was run. */
export interface HistoryEntry {
  readonly query: string;
  readonly variables: string;
}

const KEY = 'trellis-explorer-history';
const MAX_ENTRIES = 50;

/** What was run before, the newest first. */
export function loadHistory(): readonly HistoryEntry[] {
  const stored = readStored(localStorage, KEY);
  return Array.isArray(stored) ? stored.filter(isEntry).slice(0, MAX_ENTRIES) : [];
}

/** Stores the history. */
export function saveHistory(entries: readonly HistoryEntry[]): void {
  writeStored(localStorage, KEY, entries);
}

/** The history with one more entry, each once. */
export function addEntry(entries: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  const others = entries.filter(
    ({ query, variables }) => query !== entry.query || variables !== entry.variables,
  );
  return [entry, ...others].slice(0, MAX_ENTRIES);
}

function isEntry(value: unknown): value is HistoryEntry {
  const { query, variables } = (value ?? {}) as Partial<HistoryEntry>;
  return typeof query === 'string' && typeof variables === 'string';
}

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { judgeChange, type Judgement } from './judge-change.ts';
import type { ObservedChange } from './observe-change.ts';

/** A row of docs/observed-changes.md. */
export type JudgedRow = ObservedChange & Judgement;

/** Where the rows of docs/observed-changes.md are stored, as the proof `observed-changes` has written them. */
export const observedFile: string = fileURLToPath(new URL('observed-changes.json', import.meta.url));

/** Adds to what was seen where a check and a client disagree. */
export function judgedRow(change: ObservedChange): JudgedRow {
  return { ...change, ...judgeChange(change) };
}

/** What was seen last. */
export function readObservedChanges(): readonly JudgedRow[] {
  if (!existsSync(observedFile)) return [];
  return JSON.parse(readFileSync(observedFile, 'utf8')) as readonly JudgedRow[]; // the proof writes it
}

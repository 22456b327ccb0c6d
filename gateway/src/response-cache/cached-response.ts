import type { ExecutionResult } from '../plan/execution-result.ts';
import { ResponseBody } from '../plan/response-body.ts';
import type { ResponseContents } from './response-contents.ts';

/** A response without errors, as it is cached. */
export interface CachedResponse {
  readonly dataText: string;
  /** Until when it may be stored, milliseconds since 1970. */
  readonly untilMs: number;
  readonly isPrivate: boolean;
  /** Of the changes that it was made after. */
  readonly position: string;
  readonly contents: ResponseContents;
}

/** As Redis holds it: what is known of it as one line of JSON, and the data as it is. */
export function writeCached({ dataText, ...about }: CachedResponse): string {
  return `${JSON.stringify(about)}\n${dataText}`;
}

/** @returns nothing where the text is none of {@link writeCached} */
export function readCached(text: string): CachedResponse | undefined {
  const end = text.indexOf('\n');
  try {
    const about = JSON.parse(text.slice(0, end)) as Omit<CachedResponse, 'dataText'>; // no one else writes below its prefix
    return { ...about, dataText: text.slice(end + 1) };
  } catch {
    return undefined;
  }
}

/** The result of a cached response in the place of an execution: it counts no objects. */
export function resultOfCached(
  { dataText, untilMs, isPrivate }: CachedResponse,
  nowMs: number,
): ExecutionResult {
  const policy = { maxAgeS: (untilMs - nowMs) / 1_000, isPrivate };
  return ResponseBody.ofText(dataText, { objects: 0, caching: { policy, hasUndated: false } });
}

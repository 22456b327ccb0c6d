import type { ExecutionResult } from '../plan/execution-result.ts';
import { ResponseBody } from '../plan/response-body.ts';
import type { AnswerContents } from './answer-contents.ts';

/** An answer that is stored, without errors. */
export interface KeptAnswer {
  readonly dataText: string;
  /** Until when it may be stored, milliseconds since 1970. */
  readonly untilMs: number;
  readonly isPrivate: boolean;
  /** Of the changes that it was made after. */
  readonly position: string;
  readonly contents: AnswerContents;
}

/** As Redis holds it: what is known of it as one line of JSON, and the data as it is. */
export function writeKept({ dataText, ...about }: KeptAnswer): string {
  return `${JSON.stringify(about)}\n${dataText}`;
}

/** @returns nothing where the text is none of {@link writeKept} */
export function readKept(text: string): KeptAnswer | undefined {
  const end = text.indexOf('\n');
  try {
    const about = JSON.parse(text.slice(0, end)) as Omit<KeptAnswer, 'dataText'>; // no one else writes below its prefix
    return { ...about, dataText: text.slice(end + 1) };
  } catch {
    return undefined;
  }
}

/** A kept answer in the place of an execution: no one made its objects. */
export function resultOfKept({ dataText, untilMs, isPrivate }: KeptAnswer, nowMs: number): ExecutionResult {
  const policy = { maxAgeS: (untilMs - nowMs) / 1_000, isPrivate };
  return ResponseBody.ofText(dataText, { objects: 0, caching: { policy, hasUndated: false } });
}

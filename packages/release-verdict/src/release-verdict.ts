import { z } from 'zod';
import type { OrderStep } from './order-step.ts';

/** How many changes there are of each verdict, approved ones apart. */
export interface VerdictCounts {
  readonly breaking: number;
  readonly dangerous: number;
  readonly unknown: number;
  readonly safe: number;
  readonly approved: number;
}

/** A change with its verdict. */
export interface VerdictChange {
  readonly verdict: 'breaking' | 'dangerous' | 'unknown' | 'safe';
  readonly code: string;
  readonly coordinate: string;
  /** In English. */
  readonly message: string;
  /** How many recorded operations it concerns. */
  readonly operations: number;
  /** Who let it through. */
  readonly approvedBy?: string | undefined;
}

/** What was proved of the time between deploying and publishing. */
export interface JudgedOrder {
  readonly verdict: 'any-order' | 'ordered' | 'not-in-one-step';
  readonly steps: readonly OrderStep[];
}

/** What was judged of a release when it was published, against what was served before. */
export interface ReleaseVerdict {
  readonly counts: VerdictCounts;
  /** The gravest first, as many as are stored. */
  readonly changes: readonly VerdictChange[];
  /** Undefined: no subgraph changed. */
  readonly order?: JudgedOrder | undefined;
  /** How many recorded operations were known. Undefined: none were given. */
  readonly operations?: number | undefined;
}

/** The largest text of a verdict, bytes. */
export const MAX_VERDICT_BYTES: number = 256 * 1024;

const FORMAT = 'trellis-release-verdict/1';
const [MAX_CHANGES, MAX_STEPS] = [100, 2_001];
const [MAX_NAME, MAX_TEXT] = [256, 400];

const count = z.int().min(0);
const name = z.string().max(MAX_NAME);
const text = z.string().max(MAX_TEXT);

const verdictSchema: z.ZodType<ReleaseVerdict> = z.object({
  counts: z.object({ breaking: count, dangerous: count, unknown: count, safe: count, approved: count }),
  changes: z
    .array(
      z.object({
        verdict: z.enum(['breaking', 'dangerous', 'unknown', 'safe']),
        code: name,
        coordinate: name,
        message: text,
        operations: count,
        approvedBy: name.optional(),
      }),
    )
    .max(MAX_CHANGES),
  order: z
    .object({
      verdict: z.enum(['any-order', 'ordered', 'not-in-one-step']),
      steps: z
        .array(
          z.object({
            action: z.enum(['deploy', 'deploy-both', 'deploy-any-time', 'publish', 'deploy-rest', 'end']),
            subgraph: name.optional(),
            forNew: text.optional(),
            forOld: text.optional(),
          }),
        )
        .max(MAX_STEPS),
    })
    .optional(),
  operations: count.optional(),
});

/**
 * The JSON of a verdict: changes beyond the bound are left out, texts are cut.
 *
 * @returns undefined where it is larger than {@link MAX_VERDICT_BYTES}: an order that is cut would be a wrong one
 */
export function encodeVerdict({ counts, changes, order, operations }: ReleaseVerdict): string | undefined {
  const document = {
    format: FORMAT,
    counts,
    changes: gravestFirst(changes).slice(0, MAX_CHANGES).map(boundChange),
    order: order && { verdict: order.verdict, steps: order.steps.map(boundStep) },
    operations,
  };
  const json = `${JSON.stringify(document)}\n`;
  return Buffer.byteLength(json) <= MAX_VERDICT_BYTES ? json : undefined;
}

/**
 * Reads the JSON of a verdict. Members that are not known are passed over.
 *
 * @throws SyntaxError, z.ZodError
 */
export function decodeVerdict(json: string): ReleaseVerdict {
  const document: unknown = JSON.parse(json);
  z.object({ format: z.literal(FORMAT) }).parse(document);
  return parseVerdict(document);
}

/** Reads a verdict that was decoded before. @throws z.ZodError */
export function parseVerdict(said: unknown): ReleaseVerdict {
  return verdictSchema.parse(said);
}

const GRAVITY = ['breaking', 'dangerous', 'unknown', 'safe'];

function gravestFirst(changes: readonly VerdictChange[]): readonly VerdictChange[] {
  return changes.toSorted((one, other) => GRAVITY.indexOf(one.verdict) - GRAVITY.indexOf(other.verdict));
}

function boundChange(change: VerdictChange): VerdictChange {
  const { verdict, code, coordinate, message, operations, approvedBy } = change;
  return {
    verdict,
    code,
    coordinate: cut(coordinate, MAX_NAME),
    message: cut(message, MAX_TEXT),
    operations,
    ...(approvedBy !== undefined && { approvedBy: cut(approvedBy, MAX_NAME) }),
  };
}

function boundStep({ action, subgraph, forNew, forOld }: OrderStep): OrderStep {
  return {
    action,
    subgraph,
    ...(forNew !== undefined && { forNew: cut(forNew, MAX_TEXT) }),
    ...(forOld !== undefined && { forOld: cut(forOld, MAX_TEXT) }),
  };
}

function cut(full: string, length: number): string {
  return full.length <= length ? full : `${full.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

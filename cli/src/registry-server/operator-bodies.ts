import { declaredVariantShape, publicKeys, type PublicKey, type StoppedCanary } from '@trellis/registry';
import { z } from 'zod';
import type { GarbageRequest } from '../publish/collect-garbage.ts';
import type { SentGuards } from '../publish/sent-guards.ts';
import type { VariantRequest } from '../publish/set-variant.ts';
import { sentApprovals, sentRules, type SentApproval } from './guard-bodies.ts';

/** A variant that is set, with what it is judged by; or the name of one that ends. */
export type VariantBody =
  | {
      readonly set: VariantRequest;
      readonly approvals: readonly SentApproval[];
      readonly rules?: SentGuards['rules'];
    }
  | { readonly remove: string };

const name = z.string().max(64);

const variantRequest: z.ZodType<VariantRequest> = z
  .strictObject({
    ...declaredVariantShape,
    /** An environment, or `graph@environment`. */
    from: z.string().min(1).max(256).optional(),
  })
  .refine(({ rule, abortsItself }) => !abortsItself || rule.kind === 'percent', {
    error: 'a variant that aborts itself has a percent: callers who choose a variant judge nothing',
  });

/** Reads the body of a change of variants: one of the two, so that a `set` which is invalid removes nothing. */
export const variantBody: z.ZodType<VariantBody> = z.union([
  z.strictObject({
    set: variantRequest,
    approvals: sentApprovals.default([]),
    rules: sentRules.optional(),
  }),
  z.strictObject({ remove: name }),
]);

/** Reads the body of a replacement of keys. A JWK may have other members, which do not count (RFC 7517 §4). */
export const keysBody: z.ZodType<{ readonly keys: readonly PublicKey[] }> = z.strictObject({
  keys: publicKeys,
});

/** Reads the body of an abort. */
export const abortBody: z.ZodType<StoppedCanary> = z.strictObject({
  name,
  release: z.strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/) }),
});

/** Texts are written before the record that names them: those of a change that is being made stay. */
const LEAST_HOURS = 1;

/** Reads the body of a garbage collection. */
export const garbageBody: z.ZodType<GarbageRequest> = z.strictObject({
  olderThanHours: z.int().min(LEAST_HOURS, { error: '--older-than takes at least 1 over HTTP' }).max(999_999),
  isDry: z.boolean(),
});

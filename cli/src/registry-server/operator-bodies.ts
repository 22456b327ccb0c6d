import { declaredVariant, publicKeys, type PublicKey, type StoppedCanary } from '@trellis/registry';
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

/** An environment, or `graph@environment`. */
const origin = z.object({ from: z.string().min(1).max(256).optional() });
const name = z.string().max(64);

/** Reads the body of a change of variants. */
export const variantBody: z.ZodType<VariantBody> = z.union([
  z.object({
    set: z.intersection(declaredVariant, origin),
    approvals: sentApprovals.default([]),
    rules: sentRules.optional(),
  }),
  z.object({ remove: name }),
]);

/** Reads the body of a replacement of keys. */
export const keysBody: z.ZodType<{ readonly keys: readonly PublicKey[] }> = z.object({ keys: publicKeys });

/** Reads the body of an abort. */
export const abortBody: z.ZodType<StoppedCanary> = z.object({
  name,
  release: z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/) }),
});

/** Texts are written before the record that names them: those of a change that is being made stay. */
const LEAST_HOURS = 1;

/** Reads the body of a garbage collection. */
export const garbageBody: z.ZodType<GarbageRequest> = z.object({
  olderThanHours: z.int().min(LEAST_HOURS, { error: '--older-than takes at least 1 over HTTP' }).max(999_999),
  isDry: z.boolean(),
});

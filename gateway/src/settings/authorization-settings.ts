import { z } from 'zod';

/** A policy that the operator defines: it holds when a claim of the access token is, or contains, the value. */
export interface ClaimPolicy {
  readonly claim: string;
  readonly value: string | number | boolean;
}

/** Policies by the name that `@policy` uses. */
export type Policies = Readonly<Record<string, ClaimPolicy>>;

/** What callers may do. */
export interface AuthorizationSettings {
  readonly policies?: Policies | undefined;
}

/** The part of `gateway.yaml` about authorization. */
export const authorizationSettings: z.ZodType<AuthorizationSettings> = z
  .strictObject({
    policies: z
      .record(
        z.string(),
        z.strictObject({
          claim: z.string().min(1).describe('The claim of the access token that is looked at.'),
          value: z
            .union([z.string(), z.number(), z.boolean()])
            .describe('What the claim is, or contains when it is a list.'),
        }),
      )
      .optional()
      .describe('What @policy names, beside role:X. A name that is not here does not hold.'),
  })
  .describe('What callers may do.');

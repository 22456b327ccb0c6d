import { DEFAULT_CHECK_RULES, type CheckRules } from '@trellis/composition';
import { sentContracts } from '@trellis/registry';
import { z } from 'zod';
import { MAX_SCHEMA_LENGTH } from '../publish/ask-schemas.ts';
import type { SentGuards } from '../publish/sent-guards.ts';

/** A change that someone has accepted, as a client sends it. */
export interface SentApproval {
  readonly change: string;
  readonly reason: string;
  readonly owner: string;
  readonly expires: string;
  readonly exposure?: boolean | undefined;
}

/** The name of a subgraph. */
export const subgraphName: z.ZodType<string> = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
/** The schema of a subgraph. */
export const schemaText: z.ZodType<string> = z.string().max(MAX_SCHEMA_LENGTH);
/** A line of text. */
export const shortText: z.ZodType<string> = z.string().max(1024);

const MAX_SUBGRAPHS = 1000;

/** Reads approvals. */
export const sentApprovals: z.ZodType<readonly SentApproval[]> = z
  .array(
    z.strictObject({
      change: shortText,
      reason: shortText,
      owner: shortText,
      expires: z.iso.date(),
      exposure: z.boolean().optional(),
      /** Clients send where it stands; {@link rulesOf} has another place. */
      location: z.unknown().optional(),
    }),
  )
  .max(1000);

/** Reads schemas of subgraphs as they run. */
export const sentRunning: z.ZodType<Readonly<Record<string, string>>> = z
  .record(subgraphName, schemaText)
  .refine((schemas) => Object.keys(schemas).length <= MAX_SUBGRAPHS, {
    error: `at most ${MAX_SUBGRAPHS} subgraphs`,
  });

/** Reads what of a `checks.yaml` holds beside its approvals. */
export const sentRules: z.ZodType<NonNullable<SentGuards['rules']>> = z.strictObject({
  excludedClients: z.array(z.string().max(256)).max(1000),
  usagePeriodDays: z.int().min(1).max(366),
  contracts: sentContracts,
});

/** The rules that a client has sent: they stand in a file of its own. */
export function rulesOf(approvals: readonly SentApproval[], rules: SentGuards['rules']): CheckRules {
  const location = { source: 'checks.yaml' };
  return {
    ...DEFAULT_CHECK_RULES,
    ...rules,
    approvals: approvals.map((approval) => ({ ...approval, location })),
  };
}

/** The schemas that a client has sent. */
export function runningOf(running: SentGuards['running']): ReadonlyMap<string, string> | undefined {
  return running && new Map(Object.entries(running));
}

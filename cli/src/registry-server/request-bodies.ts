import { composersChoices, type Composers } from '@trellis/composition';
import { isContractName, isLogPart, sentContracts } from '@trellis/registry';
import { z } from 'zod';
import type { GraphPublication } from '../publish/release-candidate.ts';
import type { SentGuards } from '../publish/sent-guards.ts';
import {
  schemaText,
  sentApprovals,
  sentRules,
  sentRunning,
  shortText,
  subgraphName,
  type SentApproval,
} from './guard-bodies.ts';

/** What is to be published. */
export interface PublicationBody extends GraphPublication, SentGuards {
  readonly approvals: readonly SentApproval[];
  /** Who is to compose. @default as the registry does */
  readonly composers?: Composers | undefined;
}

/** Reads the body of a publication. Members that are not known are rejected: they may be guards. */
export const publicationBody: z.ZodType<PublicationBody> = z.strictObject({
  set: z
    .array(
      z.strictObject({
        name: subgraphName,
        sdl: schemaText,
        source: shortText,
        routingUrl: z.string().max(2048).optional(),
        subscriptionUrl: z.string().max(2048).optional(),
        subscriptionProtocol: z.string().max(256).optional(),
        version: shortText.optional(),
        commit: shortText.optional(),
      }),
    )
    .max(1000)
    .refine((set) => new Set(set.map((one) => one.name)).size === set.length, {
      error: 'a subgraph is named twice',
    }),
  remove: z.array(subgraphName).max(1000),
  isWhole: z.boolean(),
  contracts: z
    .strictObject({
      set: sentContracts,
      remove: z.array(z.string().refine(isContractName)).max(100),
      isWhole: z.boolean(),
    })
    .optional(),
  approvals: sentApprovals.default([]),
  composers: z.enum(composersChoices).optional(),
  running: sentRunning.optional(),
  rules: sentRules.optional(),
});

/** What is to be promoted. */
export interface PromotionBody extends SentGuards {
  readonly from: string;
  readonly approvals: readonly SentApproval[];
}

/** Reads the body of a promotion. */
export const promotionBody: z.ZodType<PromotionBody> = z.strictObject({
  from: z.string().refine(isLogPart),
  approvals: sentApprovals.default([]),
  running: sentRunning.optional(),
  rules: sentRules.optional(),
});

/** What is to be served again. */
export interface RollbackBody extends Pick<SentGuards, 'running'> {
  readonly to?: string | undefined;
}

/** Reads the body of a rollback. */
export const rollbackBody: z.ZodType<RollbackBody> = z.strictObject({
  to: z
    .string()
    .regex(/^\d{1,8}$/)
    .optional(),
  running: sentRunning.optional(),
});

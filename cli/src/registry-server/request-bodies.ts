import { composersChoices, type Composers } from '@trellis/composition';
import { declaredContracts, isContractName, isLogPart } from '@trellis/registry';
import { z } from 'zod';
import type { GraphPublication } from '../publish/release-candidate.ts';

/** A change that someone has accepted, as a client sends it. */
export interface SentApproval {
  readonly change: string;
  readonly reason: string;
  readonly owner: string;
  readonly expires: string;
  readonly exposure?: boolean | undefined;
}

/** What is to be published. */
export interface PublicationBody extends GraphPublication {
  readonly approvals: readonly SentApproval[];
  /** Who is to compose. @default as the registry does */
  readonly composers?: Composers | undefined;
}

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
const text = z.string().max(1024);

/** Reads the body of a publication. */
export const publicationBody: z.ZodType<PublicationBody> = z.object({
  set: z
    .array(
      z.object({
        name,
        sdl: z.string().max(8 * 1024 * 1024),
        source: text,
        routingUrl: z.string().max(2048).optional(),
        subscriptionUrl: z.string().max(2048).optional(),
        subscriptionProtocol: z.string().max(256).optional(),
        version: text.optional(),
        commit: text.optional(),
      }),
    )
    .max(1000)
    .refine((set) => new Set(set.map((one) => one.name)).size === set.length, {
      error: 'a subgraph is named twice',
    }),
  remove: z.array(name).max(1000),
  isWhole: z.boolean(),
  contracts: z
    .object({
      set: declaredContracts,
      remove: z.array(z.string().refine(isContractName)).max(100),
      isWhole: z.boolean(),
    })
    .optional(),
  approvals: z
    .array(
      z.object({
        change: text,
        reason: text,
        owner: text,
        expires: z.iso.date(),
        exposure: z.boolean().optional(),
      }),
    )
    .max(1000)
    .default([]),
  composers: z.enum(composersChoices).optional(),
});

/** Reads the body of a promotion. */
export const promotionBody: z.ZodType<{ readonly from: string }> = z.object({
  from: z.string().refine(isLogPart),
});

/** Reads the body of a rollback. */
export const rollbackBody: z.ZodType<{ readonly to?: string | undefined }> = z.object({
  to: z
    .string()
    .regex(/^\d{1,8}$/)
    .optional(),
});

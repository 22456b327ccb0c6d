import { z } from 'zod';
import { blobReference, type BlobReference } from './blob.ts';
import { checkFormat, parseDocument } from './format-version.ts';
import { isLogPart, type LogName } from './log-name.ts';
import type { SubgraphRouting } from './published-release.ts';
import { publicKey, type PublicKey } from './public-key.ts';
import { variant, type Variant } from './variant.ts';
import { RegistryError } from './registry-error.ts';
import { MAX_SEQUENCE } from './registry-store.ts';

/** Another address of a subgraph in one environment than its release has. */
export interface RoutingOverride extends Omit<SubgraphRouting, 'url'> {
  readonly subgraph: string;
  readonly url?: string | undefined;
}

/** A breaking change that was let through. */
export interface RecordedApproval {
  /** `FIELD_REMOVED User.bio`. */
  readonly change: string;
  readonly owner: string;
  readonly reason: string;
  /** A day: `2026-12-31`. */
  readonly expires: string;
}

/** What moved the pointer. Readers show others that they do not know. */
export type RecordAction =
  'publish' | 'promote' | 'rollback' | 'canary' | 'abort' | 'routing' | 'keys' | (string & {});

/** One move of the pointer of an environment. It says the whole state: nothing of an earlier record still holds. */
export interface RegistryRecord extends LogName {
  /** From 1, without gaps. It alone says what is newer: clocks differ. */
  readonly sequence: number;
  /** SHA-256 of the compact JWS before; undefined for the first. */
  readonly previous: string | undefined;
  /** Random: no two attempts write the same record. */
  readonly id: string;
  /** What the environment serves. */
  readonly release: BlobReference;
  readonly routing: readonly RoutingOverride[];
  /** Other releases for some of the requests: the first that matches. */
  readonly variants: readonly Variant[];
  readonly action: RecordAction;
  /** Who asked for it: a user, a CI job, an OAuth client. */
  readonly actor: string;
  /** By the clock of the one who wrote it; for users only. */
  readonly at: string;
  readonly approvals: readonly RecordedApproval[];
  /**
   * What was judged of it against what was served before. Undefined: nothing was, or an older version wrote the record. Nothing that is
   * served depends on it.
   */
  readonly verdict?: BlobReference | undefined;
  /** Where the release comes from, for `promote` and `rollback`. */
  readonly source?: { readonly environment: string; readonly sequence: number } | undefined;
  /** The keys that sign from the next record on, instead of those before. Undefined: the same. */
  readonly keys?: readonly PublicKey[] | undefined;
}

const NAME = 'trellis-registry-record';
const FORMAT = 1;
/** The oldest version of Trellis that reads what is written here. */
const NEEDS = '0.1.0';

const text = z.string().max(1024);
const logPart = z.string().refine(isLogPart);
const sequence = z.int().min(1).max(MAX_SEQUENCE);

const recordSchema = z
  .object({
    graph: logPart,
    environment: logPart,
    sequence,
    previous: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable()
      .transform((hash) => hash ?? undefined),
    id: z.string().min(16).max(64),
    release: blobReference,
    routing: z
      .array(
        z.object({
          subgraph: z.string().max(64),
          url: z.string().max(2048).optional(),
          subscriptionUrl: z.string().max(2048).optional(),
          subscriptionProtocol: z.string().max(256).optional(),
        }),
      )
      .max(1000),
    variants: z.array(variant).max(100),
    action: z.string().regex(/^[a-z][a-z-]{0,31}$/),
    actor: z.string().max(256),
    at: z.iso.datetime(),
    approvals: z.array(z.object({ change: text, owner: text, reason: text, expires: text })).max(1000),
    verdict: blobReference.optional(),
    source: z.object({ environment: logPart, sequence }).optional(),
    keys: z.array(publicKey).min(1).max(16).optional(),
  })
  .refine((record) => (record.sequence === 1) === (record.previous === undefined), {
    error: 'only the first record has no previous one',
  });

/** The JSON of a record. */
export function encodeRecord(record: RegistryRecord): string {
  return JSON.stringify({
    format: `${NAME}/${FORMAT}`,
    needs: NEEDS,
    ...record,
    previous: record.previous ?? null,
  });
}

/**
 * Reads the JSON of a record.
 *
 * @throws RegistryError NEWER_FORMAT, INVALID_RECORD
 */
export function decodeRecord(json: string): RegistryRecord {
  const document = parseDocument(json, NAME);
  checkFormat(document, NAME, FORMAT);
  const parsed = recordSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new RegistryError('INVALID_RECORD', `The record is invalid: ${z.prettifyError(parsed.error)}`);
}

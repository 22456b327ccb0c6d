import { z } from 'zod';
import type { OperationClient } from './recorded-operation.ts';

/** The first line of a file of recorded operations. */
export interface OperationsHeader {
  readonly format: 'trellis-operations/1';
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether no interval is missing. @default true */
  readonly complete?: boolean | undefined;
  /** Which process has recorded it. */
  readonly process?: string | undefined;
}

/** Each line below. */
export interface OperationLine {
  readonly id: string;
  readonly document: string;
  readonly operationName?: string | undefined;
  readonly clients?: readonly OperationClient[] | undefined;
  readonly inputs?: readonly string[] | undefined;
  readonly slices?: readonly Readonly<Record<string, number>>[] | undefined;
  readonly conditions?: readonly Readonly<Record<string, boolean>>[] | undefined;
  readonly scopes?: readonly (readonly string[] | null)[] | undefined;
}

const time = z.iso.datetime({ offset: true });

export const headerSchema: z.ZodType<OperationsHeader> = z.strictObject({
  format: z.literal('trellis-operations/1'),
  from: time.optional(),
  to: time.optional(),
  complete: z.boolean().optional(),
  process: z.string().optional(),
});

const counts = z.record(z.string(), z.int().min(0));

const clientSchema: z.ZodType<OperationClient> = z.strictObject({
  name: z.string().min(1).max(256),
  version: z.string().min(1).max(256).optional(),
  requests: z.int().min(0),
  lastUsed: time.optional(),
  oauthClient: z.string().optional(),
  errors: counts.optional(),
  latencyMs: counts.optional(),
});

export const operationSchema: z.ZodType<OperationLine> = z.strictObject({
  id: z.string().min(1).max(256),
  document: z.string().min(1),
  operationName: z.string().optional(),
  clients: z.array(clientSchema).optional(),
  inputs: z.array(z.string()).optional(),
  slices: z.array(z.record(z.string(), z.number())).optional(),
  conditions: z.array(z.record(z.string(), z.boolean())).optional(),
  scopes: z.array(z.array(z.string()).nullable()).optional(),
});

/** Apollo's persisted-query manifest. */
export interface ApolloManifest {
  readonly operations: readonly {
    readonly id: string;
    readonly body: string;
    readonly name?: string | undefined;
  }[];
  /** Of a list that was published: when it is withdrawn. */
  readonly trellis?: { readonly retires?: string | undefined } | undefined;
}

export const apolloManifestSchema: z.ZodType<ApolloManifest> = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), body: z.string(), name: z.string().optional() })),
  trellis: z.object({ retires: time.optional() }).optional(),
});

/** Relay's persisted queries: texts by id. */
export const relayManifestSchema: z.ZodType<Readonly<Record<string, string>>> = z.record(
  z.string(),
  z.string(),
);

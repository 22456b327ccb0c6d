import { z } from 'zod';

/** What a gateway serves of its graph. Times are seconds since 1970. */
export interface GatewayState {
  readonly format: 'trellis-gateway-state/1';
  /** Absent before one is served. */
  readonly supergraph?: { readonly hash: string; readonly servedSince: number } | undefined;
  readonly rejectedReloads: number;
  /** The record of a registry that is served. Absent without a registry. */
  readonly record?:
    | {
        readonly environment: string;
        readonly sequence: number;
        readonly release: string;
        /** Absent: the whole graph is served. */
        readonly contract?: string | undefined;
      }
    | undefined;
  readonly registryCheckedAt?: number | undefined;
  readonly rejectedHeads: readonly { readonly reason: string; readonly times: number }[];
  readonly variants: readonly {
    readonly name: string;
    readonly rule: string;
    readonly percent: number;
    readonly release: string;
  }[];
  readonly canary?: CanaryState | undefined;
  readonly stopped: readonly StoppedCanary[];
  /** The newest first. */
  readonly records: readonly GraphRecord[];
}

/** A canary beside the main version. */
export interface CanaryState {
  readonly variant: string;
  /** 0 to 1. */
  readonly share: number;
  readonly main: SideFigures;
  readonly canary: SideFigures;
  readonly evidence: { readonly failed: number; readonly slow: number };
  /** As much evidence stops it; of failures, less does soon after it began. */
  readonly stopsAt: number;
}

/** What the callers of a side have met. */
export interface SideFigures {
  readonly callers: number;
  readonly operations: number;
  readonly failed: number;
  /** Half of what was executed took at most so long, and 99 of 100. */
  readonly half?: DurationBound | undefined;
  readonly nearlyAll?: DurationBound | undefined;
}

/** Within how many seconds, or beyond how many. */
export interface DurationBound {
  readonly seconds: number;
  readonly isBeyond: boolean;
}

/** A canary that was stopped. */
export interface StoppedCanary {
  readonly at: number;
  readonly variant: string;
  readonly release: string;
  readonly reason: string;
  readonly evidence: string;
  readonly main: string;
  readonly canary: string;
}

/** A record of the registry that a gateway follows. */
export interface GraphRecord {
  readonly sequence: number;
  readonly recorded: string;
  readonly action: string;
  readonly actor: string;
  readonly release: string;
  readonly variants: string;
  /** 0: it was not served there. */
  readonly servedSince: number;
  readonly isServed: boolean;
}

/** Who has used a field, as a gateway has recorded it. */
export interface FieldUse {
  readonly field: string;
  /** ISO 8601. Absent: nothing was recorded. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether nothing of this time is missing. */
  readonly complete: boolean;
  readonly requests: number;
  readonly requestsWithField: number;
  readonly operations: readonly {
    readonly id: string;
    readonly name: string;
    readonly requests: number;
    readonly clients: readonly {
      readonly name: string;
      readonly version: string;
      readonly requests: number;
      readonly lastUsed?: string | undefined;
    }[];
  }[];
  readonly further: number;
}

/** What operators may be shown at most: names come from a gateway, and lists are bounded there, too. */
const [MAX_TEXT, MAX_ROWS] = [500, 100];

/** What is only shown: a longer one is cut, as a list of many names may be. */
const text = z.string().transform((full) =>
  full.length > MAX_TEXT
    ? `${Array.from(full)
        .slice(0, MAX_TEXT - 1)
        .join('')}…`
    : full,
);
const seconds = z.number().min(0).max(8_640_000_000_000);
const rows = <Row>(row: z.ZodType<Row>): z.ZodType<readonly Row[]> => z.array(row).max(MAX_ROWS);

const bound: z.ZodType<DurationBound | undefined> = z
  .object({ seconds: z.number(), isBeyond: z.boolean() })
  .optional();
const side: z.ZodType<SideFigures> = z.object({
  callers: z.number(),
  operations: z.number(),
  failed: z.number(),
  half: bound.optional(),
  nearlyAll: bound.optional(),
});

/** Reads what a gateway says of itself at its operations port. Members that are not known are passed over. */
const stateSchema: z.ZodType<GatewayState> = z.object({
  format: z.literal('trellis-gateway-state/1'),
  supergraph: z.object({ hash: text, servedSince: seconds }).optional(),
  rejectedReloads: z.number(),
  record: z
    .object({ environment: text, sequence: z.number(), release: text, contract: text.optional() })
    .optional(),
  registryCheckedAt: seconds.optional(),
  rejectedHeads: rows(z.object({ reason: text, times: z.number() })),
  variants: rows(z.object({ name: text, rule: text, percent: z.number(), release: text })),
  canary: z
    .object({
      variant: text,
      share: z.number(),
      main: side,
      canary: side,
      evidence: z.object({ failed: z.number(), slow: z.number() }),
      stopsAt: z.number(),
    })
    .optional(),
  stopped: rows(
    z.object({
      at: seconds,
      variant: text,
      release: text,
      reason: text,
      evidence: text,
      main: text,
      canary: text,
    }),
  ),
  records: rows(
    z.object({
      sequence: z.number(),
      recorded: text,
      action: text,
      actor: text,
      release: text,
      variants: text,
      servedSince: seconds,
      isServed: z.boolean(),
    }),
  ),
});

/** @throws z.ZodError, SyntaxError */
export function parseGatewayState(body: string): GatewayState {
  return stateSchema.parse(JSON.parse(body));
}

const useSchema: z.ZodType<FieldUse> = z.object({
  field: text,
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  complete: z.boolean(),
  requests: z.number().min(0),
  requestsWithField: z.number().min(0),
  operations: rows(
    z.object({
      id: text,
      name: text,
      requests: z.number(),
      clients: rows(
        z.object({
          name: text,
          version: text,
          requests: z.number(),
          lastUsed: z.iso.datetime({ offset: true }).optional(),
        }),
      ),
    }),
  ),
  further: z.number().min(0),
});

/** @throws z.ZodError, SyntaxError */
export function parseFieldUse(body: string): FieldUse {
  return useSchema.parse(JSON.parse(body));
}

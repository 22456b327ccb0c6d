import { z } from 'zod';

/** How a subgraph is asked. What is absent is as for all subgraphs, or has the default that the schema names. */
export interface SubgraphTrafficSettings {
  readonly timeoutMs?: number | undefined;
  readonly responseBytes?: number | undefined;
  readonly retries?: false | RetrySettings | undefined;
  readonly breaker?: false | BreakerSettings | undefined;
  readonly concurrency?: ConcurrencySettings | undefined;
  readonly hedging?: { readonly afterMs: number } | undefined;
}

/** How subgraphs are asked. */
export interface TrafficSettings extends SubgraphTrafficSettings {
  readonly subgraphs?: Readonly<Record<string, SubgraphTrafficSettings>> | undefined;
}

/** The budget of repeated queries. */
export interface RetrySettings {
  readonly reserve?: number | undefined;
  readonly perCall?: number | undefined;
}

/** When a subgraph is no longer asked. */
export interface BreakerSettings {
  readonly failureShare?: number | undefined;
  readonly minCalls?: number | undefined;
  readonly windowMs?: number | undefined;
  readonly sleepMs?: number | undefined;
}

/** How much a subgraph is asked at a time. */
export interface ConcurrencySettings {
  readonly calls?: number | undefined;
  readonly queue?: number | undefined;
  readonly perCaller?: number | undefined;
}

/** When requests are refused because there are too many. */
export interface AdmissionSettings {
  readonly maxRequests?: number | undefined;
  readonly maxDelayMs?: number | undefined;
  readonly targetDelayMs?: number | undefined;
  readonly perCaller?: number | undefined;
}

const count = (description: string): z.ZodOptional<z.ZodNumber> =>
  z.int().min(1).optional().describe(description);

const shaping = {
  timeoutMs: count(
    'Milliseconds for a call of a subgraph, with the time that it waits for other calls. Default timeouts.subgraphMs.',
  ),
  responseBytes: count('The largest answer of a subgraph, decompressed. Default 16,777,216.'),
  retries: z
    .union([
      z.literal(false),
      z.strictObject({
        reserve: z.int().min(0).optional().describe('Repeated calls that may be made at once. Default 10.'),
        perCall: z
          .number()
          .min(0)
          .max(1)
          .optional()
          .describe('What each call earns of a repeated one: at 0.1, one of ten. Default 0.1.'),
      }),
    ])
    .optional()
    .describe(
      'Queries that did not reach the subgraph, or that it answers with 502, 503 or 504, are sent once more. false: never.',
    ),
  breaker: z
    .union([
      z.literal(false),
      z.strictObject({
        failureShare: z
          .number()
          .min(0.01)
          .max(1)
          .optional()
          .describe(
            'The share of calls that fail (5xx, time-outs, no connection), from 0.01 to 1. Default 0.5.',
          ),
        minCalls: count('Calls in the window below which the subgraph goes on being asked. Default 30.'),
        windowMs: count('Milliseconds that are looked at. Default 10,000.'),
        sleepMs: count(
          'Milliseconds between two calls that try whether the subgraph is back; at most 500 where calls fail without a time-out. Default 1,000.',
        ),
      }),
    ])
    .optional()
    .describe('When too many calls fail, a subgraph is left alone until it answers again. false: never.'),
  concurrency: z
    .strictObject({
      calls: count('Calls of the subgraph in flight. Default 256.'),
      queue: z
        .int()
        .min(0)
        .optional()
        .describe('Calls that wait for those; what is more fails at once. Default 2,048.'),
      perCaller: z
        .number()
        .min(0.01)
        .max(1)
        .optional()
        .describe(
          'The part of both that one caller (a user, else a client, else an address) may have, from 0.01 to 1; several that ask for as much as they can get have less each. 1: all that is free. Default 0.75.',
        ),
    })
    .optional()
    .describe('How much a subgraph is asked at a time.'),
  hedging: z
    .strictObject({ afterMs: z.int().min(1).describe('Milliseconds without an answer.') })
    .optional()
    .describe(
      'A query without an answer after that time is sent a second time, within the budget of retries; the first answer counts. Default never.',
    ),
};

/** The part of `gateway.yaml` that says how subgraphs are asked. */
export const trafficSettings: z.ZodType<TrafficSettings> = z
  .strictObject({
    ...shaping,
    subgraphs: z
      .record(z.string(), z.strictObject(shaping))
      .optional()
      .describe('In the place of the rules for all, by the name of the subgraph.'),
  })
  .describe('How subgraphs are asked.');

/** The part of `gateway.yaml` that says when requests are refused because there are too many. */
export const admissionSettings: z.ZodType<AdmissionSettings> = z
  .strictObject({
    maxRequests: count('Requests that are being answered at a time. Default 2,000.'),
    maxDelayMs: count(
      'Milliseconds that operations may wait for one another before new requests are refused. Default 1,000.',
    ),
    targetDelayMs: count('The same while requests keep arriving faster than they are answered. Default 10.'),
    perCaller: z
      .number()
      .min(0.01)
      .max(1)
      .optional()
      .describe(
        'The part of maxRequests that one network address, an IPv6 /64 being one, may have in flight, from 0.01 to 1; several that ask for as much as they can get have less each. 1: all that is free. Default 0.75.',
      ),
  })
  .describe(
    'When requests are answered with 503 because there are too many, or with 429 because their network has more than its share of them. For each process.',
  );

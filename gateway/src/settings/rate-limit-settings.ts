import { z } from 'zod';

/** How much in which time. */
export interface Rate {
  /** Root fields of operations: an operation counts as many as it has, so that a batch of mutations is not one. */
  readonly operations: number;
  readonly windowS: number;
}

/** Rates by whom they hold for; absent ones don't. */
export interface RateLimits {
  /** For each network address, before its token is looked at; the networks around it have 4 and 16 times as much. What is refused counts as one, before it is parsed. */
  readonly perAddress?: Rate | undefined;
  /** For each user; clients that act for themselves count as users. */
  readonly perUser?: Rate | undefined;
  /** For each OAuth client, all of its users together. */
  readonly perClient?: Rate | undefined;
  /** Objects of an answer that count as one more operation. @default 1000 */
  readonly objectsPerOperation?: number | undefined;
}

const rate = z.strictObject({
  operations: z.int().min(1).describe('Root fields of operations in a window.'),
  windowS: z.int().min(1).max(86_400).describe('Seconds of a window.'),
});
/** The part of `gateway.yaml` about rates. */
export const rateLimitSettings: z.ZodType<RateLimits> = z
  .strictObject({
    perAddress: rate
      .optional()
      .describe(
        'For each network address, an IPv6 /64 being one; the /24 or /56 around it has 4 times as much, a /48 16 times. What is refused counts as one.',
      ),
    perUser: rate.optional().describe('For each user.'),
    perClient: rate.optional().describe('For each OAuth client, all of its users together.'),
    objectsPerOperation: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Objects of an answer, or of the events of a subscription together, that count as one more operation, once it is known how many they are. A subscription over the rate ends with RATE_LIMITED. Default 1,000.',
      ),
  })
  .describe(
    'How often the graph may be asked. With CACHE_REDIS_URL, rates hold for all gateways together; else for each process.',
  );

import type { InForce } from './setting.ts';

/** How much in which time. */
const rate = {
  operations: {
    type: 'int',
    min: 1,
    required: true,
    unit: 'root fields',
    reload: 'live',
    doc: 'Of operations in a window: an operation counts as many as it has, so that a batch of mutations is not one.',
  },
  windowS: {
    type: 'int',
    min: 1,
    max: 86_400,
    required: true,
    unit: 'seconds',
    reload: 'live',
    doc: 'Length of a window.',
  },
} as const;

/** How often the graph may be asked. */
export const rateLimits = {
  type: 'group',
  optional: true,
  doc: 'How often the graph may be asked. With CACHE_REDIS_URL, rates hold for all gateways together; else for each process.',
  members: {
    perAddress: {
      type: 'group',
      optional: true,
      doc: 'For each network address, an IPv6 /64 being one, before its token is verified; the /24 or /56 around it has 4 times as much, a /48 16 times. What is rejected counts as one, before it is parsed.',
      members: rate as typeof rate,
    },
    perUser: {
      type: 'group',
      optional: true,
      doc: 'For each user; clients that act for themselves count as users.',
      members: rate as typeof rate,
    },
    perClient: {
      type: 'group',
      optional: true,
      doc: 'For each OAuth client, all of its users together.',
      members: rate as typeof rate,
    },
    objectsPerOperation: {
      type: 'int',
      min: 1,
      default: 1_000,
      unit: 'objects',
      reload: 'live',
      doc: 'Of a response, or of the events of a subscription together, that count as one more operation, once it is known how many they are. A subscription over the rate ends with RATE_LIMITED.',
    },
  },
} as const;

/** Rates by whom they hold for; absent ones don't. */
export type RateLimits = NonNullable<InForce<{ readonly rateLimits: typeof rateLimits }>['rateLimits']>;

/** How much in which time. */
export type Rate = NonNullable<RateLimits['perUser']>;

import type { InForce } from './setting.ts';

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

interface RateGroup {
  readonly type: 'group';
  readonly optional: true;
  readonly doc: string;
  readonly members: typeof rate;
}

const objectsPerOperation = {
  type: 'int',
  min: 1,
  default: 1_000,
  unit: 'objects',
  reload: 'live',
  doc: 'Of a response, or of the events of a subscription together, that count as one more operation, once their number is known. A subscription over the rate ends with RATE_LIMITED.',
} as const;

/** How often the graph may be asked. */
export const rateLimits: {
  readonly type: 'group';
  readonly optional: true;
  readonly doc: string;
  readonly members: {
    readonly perAddress: RateGroup;
    readonly perUser: RateGroup;
    readonly perClient: RateGroup;
    readonly clientNames: {
      readonly type: 'groups-by-name';
      readonly doc: string;
      readonly reload: 'live';
      readonly members: typeof rate;
    };
    readonly objectsPerOperation: typeof objectsPerOperation;
  };
} = {
  type: 'group',
  optional: true,
  doc: 'How often the graph may be asked. With CACHE_REDIS_URL, rates hold for all gateways together; else for each process.',
  members: {
    perAddress: {
      type: 'group',
      optional: true,
      doc: 'For each network address, an IPv6 /64 being one, before its token is verified; the /24 or /56 around it has 4 times as much, a /48 16 times. What is rejected counts as one, before it is parsed.',
      members: rate,
    },
    perUser: {
      type: 'group',
      optional: true,
      doc: 'For each user; clients that act for themselves count as users.',
      members: rate,
    },
    perClient: {
      type: 'group',
      optional: true,
      doc: 'For each OAuth client, all of its users together.',
      members: rate,
    },
    clientNames: {
      type: 'groups-by-name',
      reload: 'live',
      doc: 'For programs that name themselves so in apollographql-client-name or graphql-client-name, or in connection_init, each with all of its users together; name@version holds for a version beside the rate of its name. What clients say of themselves is not proved: the other rates hold for them as well.',
      members: rate,
    },
    objectsPerOperation,
  },
};

/** Rates by whom they hold for; absent ones don't. */
export type RateLimits = InForce<typeof rateLimits.members>;

/** How much in which time. */
export type Rate = InForce<typeof rate>;

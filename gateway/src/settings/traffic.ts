import type { Given, InForce } from './setting.ts';

/** Rules of subgraph requests, for all subgraphs or for one. */
export const subgraphRequests = {
  timeoutMs: {
    type: 'int',
    min: 1,
    default: { same: 'timeouts.subgraphMs' },
    unit: 'milliseconds',
    reload: 'live',
    doc: 'For a subgraph request, with the time that it waits for others.',
  },
  responseBytes: {
    type: 'int',
    min: 1,
    default: 16_777_216,
    unit: 'bytes',
    reload: 'live',
    doc: 'The largest response of a subgraph, decompressed.',
  },
  retries: {
    type: 'group',
    canBeOff: true,
    doc: 'Queries that did not reach the subgraph, or whose response is 502, 503 or 504, are sent once more. false: never.',
    members: {
      reserve: {
        type: 'int',
        min: 0,
        default: 10,
        unit: 'retries',
        reload: 'live',
        doc: 'That may be made at once before any request has earned one.',
      },
      perRequest: {
        type: 'number',
        min: 0,
        max: 1,
        default: 0.1,
        unit: 'retries',
        reload: 'live',
        doc: 'That each request earns: at 0.1, one of ten may be sent again.',
      },
    },
  },
  breaker: {
    type: 'group',
    canBeOff: true,
    doc: 'Circuit breaker: when too many requests fail, no more are sent until a trial request succeeds. false: never.',
    members: {
      failureShare: {
        type: 'number',
        min: 0.01,
        max: 1,
        default: 0.5,
        reload: 'live',
        doc: 'The share of requests that fail (5xx, time-outs, no connection) from which the circuit breaker opens.',
      },
      minRequests: {
        type: 'int',
        min: 1,
        default: 30,
        unit: 'requests',
        reload: 'live',
        doc: 'In the window below which it stays closed.',
      },
      windowMs: {
        type: 'int',
        min: 1,
        default: 10_000,
        unit: 'milliseconds',
        reload: 'live',
        doc: 'Length of the window.',
      },
      sleepMs: {
        type: 'int',
        min: 1,
        default: 1_000,
        unit: 'milliseconds',
        reload: 'live',
        doc: 'Between two trial requests; at most 500 where requests fail without a time-out.',
      },
    },
  },
  concurrency: {
    type: 'group',
    doc: 'Concurrency limit of a subgraph.',
    members: {
      requests: { type: 'int', min: 1, default: 256, unit: 'requests', reload: 'live', doc: 'In flight.' },
      queue: {
        type: 'int',
        min: 0,
        default: 2_048,
        unit: 'requests',
        reload: 'live',
        doc: 'That wait for those; what is more fails at once.',
      },
      perCaller: {
        type: 'number',
        min: 0.01,
        max: 1,
        default: 0.75,
        reload: 'live',
        doc: 'The part of both that one caller (a user, else a client, else an address) may have; several that ask for as much as they can get have less each. 1: all that is free.',
      },
    },
  },
  hedging: {
    type: 'group',
    optional: true,
    doc: 'A query without a response after a time is sent a second time, within the budget of retries; the first response counts. Absent: never.',
    members: {
      afterMs: {
        type: 'int',
        min: 1,
        required: true,
        unit: 'milliseconds',
        reload: 'live',
        doc: 'Without a response.',
      },
    },
  },
} as const;

/** Rules of subgraph requests, with every default filled in. A member that is switched off is undefined. */
export type SubgraphRequestSettings = InForce<typeof subgraphRequests>;

/** Subgraph requests, for all subgraphs and for single ones. */
export const traffic: {
  readonly type: 'group';
  readonly doc: string;
  readonly members: typeof subgraphRequests & {
    readonly subgraphs: {
      readonly type: 'groups-by-name';
      readonly doc: string;
      readonly reload: 'live';
      readonly members: typeof subgraphRequests;
    };
  };
} = {
  type: 'group',
  doc: 'How subgraph requests are sent.',
  members: {
    ...subgraphRequests,
    subgraphs: {
      type: 'groups-by-name',
      doc: 'In the place of the rules for all, by the name of the subgraph: each of the keys above.',
      reload: 'live',
      members: subgraphRequests,
    },
  },
};

/** The rules for all subgraphs, and those of single ones as an operator gives them. */
export type TrafficSettings = InForce<typeof traffic.members>;

/** The rules of a single subgraph, as an operator gives them. */
export type SubgraphTrafficSettings = Given<typeof subgraphRequests>;

/** When requests are rejected because there are too many. */
export const admission = {
  type: 'group',
  doc: 'When requests are rejected with 503 because there are too many, or with 429 because their network has too many in flight. For each process.',
  members: {
    maxRequests: { type: 'int', min: 1, default: 2_000, unit: 'requests', reload: 'live', doc: 'In flight.' },
    maxDelayMs: {
      type: 'int',
      min: 1,
      default: 1_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'That operations may wait for one another before new requests are rejected.',
    },
    targetDelayMs: {
      type: 'int',
      min: 1,
      default: 10,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'The same in sustained overload. A caller with fewer than six requests in flight may wait for a quarter of maxDelayMs, if that is longer.',
    },
    perCaller: {
      type: 'number',
      min: 0.01,
      max: 1,
      default: 0.75,
      reload: 'live',
      doc: 'The part of maxRequests that one network address, an IPv6 /64 being one, may have in flight; several that ask for as much as they can get have less each. 1: all that is free.',
    },
  },
} as const;

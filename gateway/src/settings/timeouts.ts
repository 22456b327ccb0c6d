/** How long things may take. */
export const timeouts = {
  type: 'group',
  doc: 'How long things may take.',
  members: {
    requestMs: {
      type: 'int',
      min: 1,
      default: 30_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'To the first byte of a response.',
    },
    subgraphMs: {
      type: 'int',
      min: 1,
      default: 10_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'For a subgraph request.',
    },
    heartbeatMs: {
      type: 'int',
      min: 1,
      default: 10_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'Silence between the parts of a response after which a heartbeat is sent.',
    },
    stalledMs: {
      type: 'int',
      min: 1,
      default: 30_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'For which a client may read nothing of what waits for it; then it is cut off.',
    },
    planningMs: {
      type: 'int',
      min: 1,
      default: 5_000,
      unit: 'milliseconds',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Processor time for planning an operation that is new.',
    },
  },
} as const;

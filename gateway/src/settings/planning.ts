/** Planning of operations that are new. */
export const planning = {
  type: 'group',
  doc: 'Planning of operations that are new, with a fair share for each user, else client, else network.',
  members: {
    threads: {
      type: 'int',
      min: 1,
      default: { computed: 'one less than the processors for each of WORKERS, 2 to 4' },
      unit: 'threads',
      reload: 'live',
      doc: 'Query planner workers at most, in each process. The first one always runs; the others start under load, and end when they are idle.',
    },
    // A third of a processor for good, and 20 s at once: more than a server takes that renders pages for all users and
    // sends a thousand operations again after a restart. A caller who goes on sending new ones has no honest reason.
    callerMs: {
      type: 'int',
      min: 1,
      default: 20_000,
      bare: null,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'Processor time that planning for a caller may take in a window; 4 and 16 times that together for the networks around anonymous callers.',
    },
    windowS: {
      type: 'int',
      min: 1,
      default: 60,
      unit: 'seconds',
      reload: 'live',
      doc: 'Length of that window.',
    },
  },
} as const;

/**
 * What registry servers take, as docs/operate-the-registry.md shows it. Each amount is here alone: of a client or of all, counted in
 * the database for all servers together or in each, with what comes beyond it.
 */
export const registryLimits = {
  requestsPerMinute: {
    amount: 12_000,
    what: 'requests a minute',
    of: 'client',
    counted: 'together',
    beyond: '429',
  },
  changesPerMinute: {
    amount: 1_200,
    what: 'changes a minute',
    of: 'client',
    counted: 'together',
    beyond: '429',
  },
  bodyMiB: { amount: 32, what: 'MiB of a change', of: 'client', counted: 'each', beyond: '413' },
  heldMiBOfClient: {
    amount: 64,
    what: 'MiB of changes that are read or wait',
    of: 'client',
    counted: 'each',
    beyond: '429',
  },
  heldMiB: {
    amount: 256,
    what: 'MiB of changes that are read or wait',
    of: 'all',
    counted: 'each',
    beyond: '429',
  },
  waitingChangesOfClient: {
    amount: 16,
    what: 'changes that wait',
    of: 'client',
    counted: 'each',
    beyond: '503',
  },
  waitingChanges: { amount: 64, what: 'changes that wait', of: 'all', counted: 'each', beyond: '503' },
  waitingAborts: {
    amount: 64,
    what: 'aborts of one log that wait',
    of: 'all',
    counted: 'each',
    beyond: '503',
  },
  waitingReadersOfClient: {
    amount: 200,
    what: 'readers that wait for a record',
    of: 'client',
    counted: 'each',
    beyond: '503',
  },
  waitingReaders: {
    amount: 2_000,
    what: 'readers that wait for a record',
    of: 'all',
    counted: 'each',
    beyond: '503',
  },
  changeSeconds: { amount: 300, what: 'seconds for a change', of: 'client', counted: 'each', beyond: '503' },
  judgementHeapMiB: {
    amount: 2_048,
    what: 'MiB of memory for each of the 3 threads that compose and check',
    of: 'client',
    counted: 'each',
    beyond: '503',
  },
  attemptsOfClient: {
    amount: 1_000,
    what: 'rows of attempts that changed nothing',
    of: 'client',
    counted: 'together',
    beyond: 'the oldest go',
  },
} as const;

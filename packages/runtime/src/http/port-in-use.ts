/** What node:net rejects with where another program has the port. */
export interface PortInUse extends Error {
  readonly port: number;
}

/** Whether listening has failed because another program has the port. */
export function isPortInUse(error: unknown): error is PortInUse {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
}

import { isPortInUse, type PortInUse } from '../http/port-in-use.ts';
import type { ProcessConfig } from './deployable.ts';

/**
 * Why a deployable can't start, in words for its operator: the reason lies in what it was given, so that a stack
 * would add nothing. The process prints the message and exits with 1.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The reason of a failed start in words for the operator; undefined where it is a fault of the program. */
export function explainStartupError(error: unknown, config: ProcessConfig): string | undefined {
  if (error instanceof StartupError) return error.message;
  return isPortInUse(error) ? explainPort(error, config) : undefined;
}

function explainPort({ port }: PortInUse, config: ProcessConfig): string {
  const variable = port === config.OPERATIONS_PORT ? 'OPERATIONS_PORT' : 'PORT';
  return `Port ${port} is in use by another program. Stop it, or set ${variable} to another port (0 takes any free one).`;
}

import { nameFlags } from '../config/name-flags.ts';
import { isPortInUse, type PortInUse } from '../http/port-in-use.ts';
import type { ProcessConfig } from './deployable.ts';

/**
 * Why a deployable can't start, in words for its operator: the reason lies in what it was given, so that a stack
 * would add nothing. The process prints the message and exits with 1.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/**
 * The reason of a failed start in words for the operator; undefined where it is a fault of the program.
 *
 * @param flags the variables that were given as flags: `{ PORT: '--port' }`. @default none
 */
export function explainStartupError(
  error: unknown,
  config: ProcessConfig,
  flags: Readonly<Record<string, string>> = {},
): string | undefined {
  if (error instanceof StartupError) return error.message;
  return isPortInUse(error) ? nameFlags(explainPort(error, config), flags) : undefined;
}

function explainPort({ port }: PortInUse, config: ProcessConfig): string {
  const variable = port === config.OPERATIONS_PORT ? 'OPERATIONS_PORT' : 'PORT';
  return `Port ${port} is in use by another program. Stop it, or set ${variable} to another port (0 takes any free one).`;
}

/**
 * Says that a store does not answer, and what helps. Its URL is left out: it holds a password.
 *
 * @param variable of the environment that names the store: `DATABASE_URL`
 * @param cause what asking it was rejected with
 */
export function describeUnavailableStore(variable: string, cause: unknown): string {
  const reason = reasonOf(cause).replace(/\.$/, '');
  return `The store that ${variable} names does not answer: ${reason}. Start it, or correct ${variable}.`;
}

/** A connection that several addresses rejected is an AggregateError without a message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

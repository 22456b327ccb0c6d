import { RegistryError } from './registry-error.ts';

/** The log of one graph in one environment. */
export interface LogName {
  readonly graph: string;
  readonly environment: string;
}

/** Lower case only: for some file systems a and A are the same. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Whether a graph or an environment may be called so. */
export function isLogPart(name: string): boolean {
  return NAME.test(name);
}

/**
 * Reads `content@production`.
 *
 * @throws RegistryError INVALID_NAME
 */
export function parseLogName(text: string): LogName {
  const [graph = '', environment = '', ...more] = text.split('@');
  if (more.length === 0 && isLogPart(graph) && isLogPart(environment)) return { graph, environment };
  throw new RegistryError(
    'INVALID_NAME',
    `${JSON.stringify(text)} is not GRAPH@ENVIRONMENT: each is a lower-case letter or digit, then at most 63 of a-z, 0-9, _ and -.`,
  );
}

/** `content@production`. */
export function formatLogName({ graph, environment }: LogName): string {
  return `${graph}@${environment}`;
}

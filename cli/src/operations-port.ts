/**
 * Whether a program that is run by hand may serve its metrics at the next free port, where another program has the usual one: several
 * run on a developer's machine. What the environment says stands.
 *
 * @param prefix of the deployable's variables
 */
export function takesNextOperationsPort(
  prefix: string,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return (environment['OPERATIONS_PORT'] ?? environment[`${prefix}_OPERATIONS_PORT`]) === undefined;
}

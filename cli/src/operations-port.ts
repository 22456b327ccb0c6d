import { probePort } from '@trellis/dev-stores';

const USUAL_PORT = 9464;

/**
 * Where a program that is run by hand serves its metrics: on the usual port, or on any free one when that is taken, for
 * several programs run on a developer's machine. What the environment says stands.
 *
 * @param prefix of the deployable's variables
 */
export async function operationsPort(
  prefix: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, string>>> {
  const isGiven = environment['OPERATIONS_PORT'] ?? environment[`${prefix}_OPERATIONS_PORT`];
  if (isGiven !== undefined || (await probePort(USUAL_PORT)) === undefined) return {};
  return { [`${prefix}_OPERATIONS_PORT`]: '0' };
}

import { ConfigError, type Environment } from '@trellis/config';
import { hostedPrograms, type Prefix } from './hosted-programs.ts';

/**
 * Reads every deployable's configuration before anything starts.
 *
 * @throws ConfigError with the problems of all of them at once, each named by its deployable
 */
export function checkConfiguration(environments: Readonly<Record<Prefix, Environment>>): void {
  const problems = hostedPrograms.flatMap(({ prefix, service, check }) =>
    problemsOf(() => check(environments[prefix])).map((problem) => `${service}: ${problem}`),
  );
  if (problems.length > 0) throw new ConfigError('the platform', problems);
}

/** The problems that a reading finds; none when it succeeds. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

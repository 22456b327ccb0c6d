/** Flags of a command line that stand for variables of a deployable. */
export interface FlagsAsVariables {
  /** The variables that were given as flags, with the prefix: a flag wins over every variable of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The flag in the place of each of them, with and without the prefix. */
  readonly flags: Readonly<Record<string, string>>;
}

/** A variable without its prefix, its flag, and what was given. */
type FlagRow = readonly [variable: string, flag: string, given: string | undefined];

/**
 * What was given as flags, for the environment of a deployable and for its messages.
 *
 * @param prefix of the deployable's variables
 */
export function flagsAsVariables(prefix: string, rows: readonly FlagRow[]): FlagsAsVariables {
  const given = rows.filter(([, , value]) => value !== undefined);
  return {
    environment: Object.fromEntries(
      given.map(([variable, , value]) => [`${prefix}_${variable}`, value ?? '']),
    ),
    flags: Object.fromEntries(
      given.flatMap(([variable, flag]) => [
        [variable, flag],
        [`${prefix}_${variable}`, flag],
      ]),
    ),
  };
}

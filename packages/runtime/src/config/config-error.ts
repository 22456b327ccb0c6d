/** All that is wrong with a configuration, one sentence a problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  /**
   * @param subject what was configured, for example `gateway`
   * @param problems one sentence each, naming the variable first
   */
  constructor(subject: string, problems: readonly string[]) {
    super(
      `The configuration of ${subject} is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.problems = Object.freeze([...problems]);
  }
}

/** The deployables while they run. */
export interface Host {
  /** Where metrics are served, for the banner. */
  readonly operations: string;
  /** Deployables that do not serve yet although they were given their time. */
  readonly unavailable: readonly string[];
  close(): Promise<void>;
}

/** The deployables while they run. */
export interface Host {
  /** Deployables that do not serve yet although they were given their time. */
  readonly unavailable: readonly string[];
  close(): Promise<void>;
}

/** Why it is not known what was judged of a record: as the admin API names it. */
type VerdictProblemName =
  'unreachable' | 'timed_out' | 'too_large' | 'not_understood' | 'unknown_record' | 'unavailable';

/** What the console says of a change of the graph. Messages of changes, and reasons, are those of the command line. */
export interface ChangeTexts {
  readonly title: (record: string) => string;
  readonly verdict: string;
  readonly verdicts: Readonly<Record<'breaking' | 'dangerous' | 'unknown' | 'safe' | 'approved', string>>;
  readonly counted: (count: number, verdict: string) => string;
  readonly operations: string;
  readonly noOperations: string;
  readonly order: string;
  readonly orders: Readonly<Record<'any-order' | 'ordered' | 'not-in-one-step', string>>;
  /** No subgraph changed. */
  readonly noOrder: string;
  readonly number: string;
  readonly step: string;
  readonly steps: Readonly<
    Record<
      'deploy' | 'deploy-both' | 'deploy-any-time' | 'publish' | 'deploy-rest' | 'end',
      (subgraph: string) => string
    >
  >;
  readonly moreSteps: (steps: number) => string;
  readonly forNew: string;
  readonly forOld: string;
  readonly changes: string;
  readonly noChanges: string;
  readonly moreChanges: (changes: number) => string;
  readonly coordinate: string;
  readonly change: string;
  readonly concerned: string;
  readonly approvedBy: string;
  readonly withoutVerdict: string;
  readonly unknownRecord: string;
  readonly problems: Readonly<Record<VerdictProblemName, string>>;
  readonly onwards: string;
}

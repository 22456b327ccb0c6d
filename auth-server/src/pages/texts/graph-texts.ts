import type { ChangeTexts } from './change-texts.ts';

/** Why nothing is known of a gateway, or of who uses a field: as the admin API names it. */
export type GraphProblemName =
  | 'unreachable'
  | 'timed_out'
  | 'too_large'
  | 'not_understood'
  | 'unknown_field'
  | 'not_recorded'
  | 'denied'
  | 'unavailable';

/** What the console says of gateways and their graph. Reasons, actions and names are those of logs and the command line. */
export interface GraphTexts {
  readonly gateways: string;
  readonly gateway: string;
  /** Where the operator has named no gateway. */
  readonly noGateways: string;
  readonly serves: string;
  readonly nothingYet: string;
  readonly since: string;
  readonly variants: string;
  readonly variant: (name: string, percent: string | undefined) => string;
  readonly rejected: string;
  readonly rejectedReloads: string;
  readonly problems: Readonly<Record<GraphProblemName, string>>;
  readonly versions: string;
  readonly noVersions: string;
  readonly record: string;
  readonly recorded: string;
  readonly action: string;
  readonly actor: string;
  readonly release: string;
  readonly servedBy: string;
  /** Heading of a column of links, and what each is called. */
  readonly changes: string;
  readonly changesOf: (record: string) => string;
  readonly canaryAt: (gateway: string) => string;
  readonly figure: string;
  readonly main: string;
  readonly canary: string;
  readonly share: string;
  readonly callers: string;
  readonly operations: string;
  readonly failed: string;
  readonly half: string;
  readonly nearlyAll: string;
  readonly againstFailed: string;
  readonly againstSlow: string;
  /** Of failures: soon after it began, less stops it. */
  readonly failedEvidence: (now: string, stopsAt: number) => string;
  readonly slowEvidence: (now: string, stopsAt: number) => string;
  readonly stopped: string;
  readonly at: string;
  readonly why: string;
  readonly whyFailed: string;
  readonly whySlow: string;
  readonly elsewhere: string;
  readonly whoUses: string;
  readonly field: string;
  readonly fieldForm: string;
  readonly days: string;
  readonly badSearch: string;
  readonly usersOf: (field: string) => string;
  readonly operation: string;
  /** Of an operation without a name: with a part of its id. */
  readonly unnamed: (id: string) => string;
  readonly client: string;
  readonly requests: string;
  readonly lastUse: string;
  readonly period: string;
  readonly allRequests: string;
  readonly withField: string;
  readonly isUsed: string;
  readonly used: string;
  readonly unused: string;
  /** Something of the period is missing. */
  readonly unknown: string;
  readonly usedAtLeast: string;
  readonly further: (operations: number) => string;
  readonly change: ChangeTexts;
}

import type { Progress } from '../terminal/index.ts';

/** Where a command writes: results, and messages beside them. */
export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Colours verdicts of a text that a user reads on standard output. @default as it is */
  readonly paint?: (text: string) => string;
  /** Shows what takes long. @default nothing is shown */
  readonly progress?: Progress;
}

/** Runs work as a step that is shown, where steps are. */
export function asStep<Result>(
  { progress }: Output,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return progress ? progress.during(name, work) : work();
}

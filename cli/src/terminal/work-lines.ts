import type { Progress, Step } from './progress.ts';

/** Lines of results, between which is shown what is under way. For work that knows lines only. */
export interface WorkLines {
  /** Prints the line of what was under way; the next begins. */
  readonly print: (line: string) => void;
  /** Names what is under way from now on. */
  readonly begin: (name: string) => void;
  /** Says how far it is. */
  readonly update: (detail: string) => void;
  /** Ends the display. */
  readonly end: () => void;
}

/** @param progress a transient one: what is under way leaves no line, its result does */
export function createWorkLines(progress: Progress, first: string): WorkLines {
  let current: Step | undefined = progress.step(first);
  const begin = (name: string): void => {
    current?.done();
    current = progress.step(name);
  };
  return {
    begin,
    print: (line) => {
      progress.print(line);
      begin(first);
    },
    update: (detail) => current?.update(detail),
    end: () => {
      current?.done();
      current = undefined;
    },
  };
}

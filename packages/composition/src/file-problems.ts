import { formatDiagnostic, type Diagnostic } from './diagnostic.ts';

/** All that is wrong with a file, each with its line. */
export class FileProblems extends Error {
  override readonly name: string = 'FileProblems';
  readonly problems: readonly Diagnostic[];

  constructor(problems: readonly Diagnostic[]) {
    super(problems.map(formatDiagnostic).join('\n'));
    this.problems = Object.freeze([...problems]);
  }
}

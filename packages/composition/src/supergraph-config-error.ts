import type { Diagnostic } from './diagnostic.ts';
import { formatDiagnostic } from './diagnostic.ts';

/** All that is wrong with a `supergraph.yaml`, each with its line. */
export class SupergraphConfigError extends Error {
  override readonly name = 'SupergraphConfigError';
  readonly problems: readonly Diagnostic[];

  constructor(problems: readonly Diagnostic[]) {
    super(problems.map(formatDiagnostic).join('\n'));
    this.problems = Object.freeze([...problems]);
  }
}

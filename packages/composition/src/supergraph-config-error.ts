import { FileProblems } from './file-problems.ts';

/** All that is wrong with a `supergraph.yaml`, each with its line. */
export class SupergraphConfigError extends FileProblems {
  override readonly name = 'SupergraphConfigError';
}

import type { ChangeCode } from './change-kinds.ts';
import type { CallerTerms } from './caller-terms.ts';

/** One change from a graph to the next. */
export interface Change {
  readonly code: ChangeCode;
  /**
   * What it is about: a schema coordinate, or the name of a subgraph.
   *
   * @see https://spec.graphql.org/September2025/#sec-Schema-Coordinates
   */
  readonly coordinate: string;
  /** What has happened, in a sentence. */
  readonly message: string;
  /** The coordinates by which an operation is concerned. */
  readonly uses: readonly string[];
  /** The input type or enum that it is about: an operation may send its values in variables. */
  readonly input?: string;
  /** Who was let in before, and who is now; of changes of rights. */
  readonly callers?: { readonly before: CallerTerms; readonly after: CallerTerms };
  /** The contract whose clients notice it. Absent: those of the graph. */
  readonly contract?: string;
}

/** What may be left out of a {@link Change}. */
export type ChangeDetails = Partial<Pick<Change, 'uses' | 'input' | 'callers'>>;

/** A change that concerns the operations which use its own coordinate, where nothing else is given. */
export function changeOf(
  code: ChangeCode,
  coordinate: string,
  message: string,
  details: ChangeDetails = {},
): Change {
  return { code, coordinate, message, uses: [coordinate], ...details };
}

/** In the order of coordinates, then codes. */
export function sortChanges(changes: readonly Change[]): readonly Change[] {
  const key = ({ contract = '', coordinate, code }: Change): string => `${contract}\n${coordinate}\n${code}`;
  return changes.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

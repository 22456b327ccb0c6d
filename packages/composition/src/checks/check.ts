import type { DocumentNode } from 'graphql';
import type { SourceLocation } from '../diagnostic.ts';

/** A subgraph's schema, parsed, by the name of its subgraph. */
export type SubgraphDocuments = ReadonlyMap<string, DocumentNode>;

/** One place, or several, that a check objects to. */
export interface Finding {
  readonly message: string;
  /** The places concerned; empty where none is known. */
  readonly locations: readonly SourceLocation[];
}

/** A rule of composition beside those of Apollo Federation. */
export interface Check {
  /** The code of its diagnostics. */
  readonly code: string;
  /** An `error` fails composition; the composer then does not run. A `hint` is reported with the supergraph. */
  readonly severity: 'error' | 'hint';
  /** What it finds; docs/composition.md shows it. */
  readonly finds: string;
  /** What to do about it; docs/composition.md shows it. */
  readonly action: string;
  readonly run: (subgraphs: SubgraphDocuments) => readonly Finding[];
}

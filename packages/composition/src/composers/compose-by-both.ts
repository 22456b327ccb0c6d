import { composeSubgraphs, type Composition } from '../compose-supergraph.ts';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import type { SubgraphSchema } from '../subgraph-schema.ts';
import { CompositionThread } from '../threads/composition-thread.ts';
import { compareComposers } from './compare-composers.ts';

/** Who composes. `both`: a difference is a warning; `strict`: an error. */
export type Composers = 'apollo' | 'guild' | 'both' | 'strict';

/** All of them. */
export const composersChoices: readonly Composers[] = ['apollo', 'guild', 'both', 'strict'];

/** A composition, and what composers differ in. */
export interface ComparedComposition {
  readonly composition: Composition;
  readonly warnings: readonly Diagnostic[];
}

/** One for all compositions of a process: it takes longer to start than most graphs to compose. Idle, it lets the process end. */
const secondThread = new CompositionThread('guild');

/**
 * Composes by those composers that are wanted: the second one in a thread, at the same time. What Apollo's makes is served, unless
 * the second one alone is wanted.
 */
export async function composeBy(
  composers: Composers,
  subgraphs: readonly SubgraphSchema[],
): Promise<ComparedComposition> {
  if (composers === 'apollo') return { composition: composeSubgraphs(subgraphs), warnings: [] };
  const asked = secondThread.compose({ subgraphs }).then(({ composition }) => composition, failureOf);
  if (composers === 'guild') return { composition: await asked, warnings: [] };
  const composition = composeSubgraphs(subgraphs);
  const differences = compareComposers(composition, await asked);
  if (composers === 'strict' && differences.length > 0)
    return { composition: { kind: 'failed', errors: differences }, warnings: [] };
  return { composition, warnings: differences };
}

/** The second opinion is no reason for the first one to fail. */
function failureOf(error: unknown): Composition {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', errors: [{ code: ownCodes.COMPOSERS_DIFFER, message, locations: [] }] };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { composeSubgraphs, federationVersion, type Composition } from './compose-supergraph.ts';
import { ownCodes, type Diagnostic } from './diagnostic.ts';
import type { SubgraphSchema } from './subgraph-schema.ts';
import { CompositionThread } from './threads/composition-thread.ts';
import type { ComparisonTask } from './threads/messages.ts';
import { ThreadEnded } from './threads/task-thread.ts';
import { secondComposer } from './threads/second-composer.ts';

/** Who composes. `both`: a difference is a warning; `strict`: an error. */
export type Composers = 'apollo' | 'guild' | 'both' | 'strict';

/** All of them. */
export const composersChoices: readonly Composers[] = ['apollo', 'guild', 'both', 'strict'];

/** The version of the second composer. */
const GUILD_VERSION = '0.27.0';

/** The versions of those that compose, by package. */
export function composerVersions(composers: Composers): Readonly<Record<string, string>> {
  return {
    ...(composers !== 'guild' && { '@apollo/composition': federationVersion }),
    ...(composers !== 'apollo' && { '@theguild/federation-composition': GUILD_VERSION }),
  };
}

/** A composition, and what composers differ in. */
export interface ComparedComposition {
  readonly composition: Composition;
  readonly warnings: readonly Diagnostic[];
  /** The second composer was asked, and failed. @default false */
  readonly isFirstAlone?: boolean;
}

/** Where composers work. */
interface ComposingPlaces {
  readonly byApollo: (subgraphs: readonly SubgraphSchema[]) => Promise<Composition>;
  readonly second: CompositionThread;
  readonly signal?: AbortSignal | undefined;
}

/** Composing takes all of this thread: what the second one is asked for is sent first. */
const onThisThread: ComposingPlaces = {
  byApollo: async (subgraphs) => {
    await nextTurn();
    return composeSubgraphs(subgraphs);
  },
  second: secondComposer,
};

/**
 * Composes by those composers that are wanted: the second one in a thread, at the same time. What Apollo's makes is served, unless
 * the second one alone is wanted.
 */
export function composeBy(
  composers: Composers,
  subgraphs: readonly SubgraphSchema[],
): Promise<ComparedComposition> {
  return composeAt(onThisThread, composers, subgraphs);
}

/** Composers in threads of their own, for a process that serves. They start with the first composition that needs them. */
export class ComposerThreads {
  readonly #first = new CompositionThread('apollo');
  readonly #second = new CompositionThread('guild');

  /**
   * Composes as {@link composeBy}.
   *
   * @param signal ends it, and the threads with it
   * @throws ThreadEnded where the first composer's thread ends, or takes longer than two minutes
   */
  compose(
    composers: Composers,
    subgraphs: readonly SubgraphSchema[],
    signal?: AbortSignal,
  ): Promise<ComparedComposition> {
    const byApollo = async (): Promise<Composition> =>
      (await this.#first.compose({ subgraphs }, signal)).composition;
    return composeAt({ byApollo, second: this.#second, signal }, composers, subgraphs);
  }

  /** Ends the threads in the midst of what they do. */
  async close(): Promise<void> {
    await Promise.all([this.#first.close(), this.#second.close()]);
  }
}

async function composeAt(
  { byApollo, second, signal }: ComposingPlaces,
  composers: Composers,
  subgraphs: readonly SubgraphSchema[],
): Promise<ComparedComposition> {
  if (composers === 'apollo') return { composition: await byApollo(subgraphs), warnings: [] };
  const failed = composers === 'both' ? problemOf : undecided;
  const alone: { isFirstAlone?: boolean } = {};
  const asked = second
    .compose({ subgraphs }, signal)
    .then((done) => done.composition)
    .catch((error: unknown): Composition => {
      alone.isFirstAlone = true;
      return { kind: 'failed', errors: [failed(error)] };
    });
  if (composers === 'guild') return { composition: await asked, warnings: [] };
  asked.catch(() => undefined); // awaited once the first is done
  const apollo = await byApollo(subgraphs);
  const differences = await differencesOf(second, { apollo, guild: await asked }, signal, failed);
  if (composers === 'strict' && differences.length > 0)
    return { composition: { kind: 'failed', errors: differences }, warnings: [] };
  return { composition: apollo, warnings: differences, ...alone };
}

/** In the thread too: reading two large supergraphs takes as long as many requests. */
async function differencesOf(
  second: CompositionThread,
  compositions: ComparisonTask,
  signal: AbortSignal | undefined,
  failed: (error: unknown) => Diagnostic,
): Promise<readonly Diagnostic[]> {
  return second.compare(compositions, signal).catch((error: unknown) => [failed(error)]);
}

/** Where the second composer has to agree, a thread that ended says nothing of the schemas. @throws ThreadEnded */
function undecided(error: unknown): Diagnostic {
  if (error instanceof ThreadEnded) throw error;
  return problemOf(error);
}

/** Elsewhere the second opinion is no reason for the first one to fail. */
function problemOf(error: unknown): Diagnostic {
  const message = error instanceof Error ? error.message : String(error);
  return { code: ownCodes.COMPOSERS_DIFFER, message, locations: [] };
}

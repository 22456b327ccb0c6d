import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  composeSubgraphs,
  federationVersion,
  mergeSubgraphs,
  withProof,
  type Composition,
} from './compose-supergraph.ts';
import { ownCodes, type Diagnostic } from './diagnostic.ts';
import { proveSatisfiability, type SatisfiabilityProof } from './prove-satisfiability.ts';
import type { SubgraphSchema } from './subgraph-schema.ts';
import { CompositionThread } from './threads/composition-thread.ts';
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

/** A composition whose supergraph can be used before it is proved, and held against the second composer's. */
export interface CompositionAhead {
  /** Neither proved nor compared. Where subgraphs don't fit together, it is what comes of it. */
  readonly merged: Composition;
  /** What comes of it in the end. Meanwhile this thread has to let its event loop turn. */
  readonly settled: Promise<ComparedComposition>;
}

/** Of graphs with fewer characters in their schemas, the thread would still load what it proves with when this one has proved it. */
const PROVED_AHEAD_CHARACTERS = 200_000;

/**
 * Composes as {@link composeBy}, for who can go on with a supergraph that may still turn out to be worth nothing: where two composers
 * are wanted, and the graph is large, the second one's thread proves it meanwhile.
 */
export async function composeAhead(
  composers: Composers,
  subgraphs: readonly SubgraphSchema[],
): Promise<CompositionAhead> {
  const characters = subgraphs.reduce((sum, { sdl }) => sum + sdl.length, 0);
  if (!(composers === 'both' || composers === 'strict') || characters < PROVED_AHEAD_CHARACTERS) {
    const settled = await composeBy(composers, subgraphs);
    return { merged: settled.composition, settled: Promise.resolve(settled) };
  }
  const asked = askSecond(onThisThread, composers, subgraphs);
  await nextTurn();
  const { composition: merged, supergraph } = mergeSubgraphs(subgraphs);
  const proof = supergraph ? proveApart(supergraph.printed) : Promise.resolve(NOTHING_FOUND);
  const settled = proof.then((found) =>
    compared(onThisThread, composers, provedBy(found, merged, subgraphs), asked),
  );
  settled.catch(() => undefined); // awaited when the supergraph was used
  return { merged, settled };
}

/** Which query is named depends on the order of types, which is another one in print: an error is found again as any composition finds it. */
function provedBy(
  proof: SatisfiabilityProof,
  merged: Composition,
  subgraphs: readonly SubgraphSchema[],
): Composition {
  return proof.errors.length > 0 ? composeSubgraphs(subgraphs) : withProof(merged, subgraphs, proof);
}

const NOTHING_FOUND: SatisfiabilityProof = { errors: [], hints: [] };

/** Where the thread fails, for its own reasons, it is proved here. */
function proveApart(printed: string): Promise<SatisfiabilityProof> {
  return secondComposer.prove(printed).catch(() => proveSatisfiability(printed));
}

async function composeAt(
  places: ComposingPlaces,
  composers: Composers,
  subgraphs: readonly SubgraphSchema[],
): Promise<ComparedComposition> {
  const { byApollo } = places;
  if (composers === 'apollo') return { composition: await byApollo(subgraphs), warnings: [] };
  const asked = askSecond(places, composers, subgraphs);
  if (composers === 'guild') return { composition: (await asked).composition, warnings: [] };
  return compared(places, composers, await byApollo(subgraphs), asked);
}

/** What the second composer makes. */
interface SecondComposition {
  readonly composition: Composition;
  /** It failed, for no reason of the subgraphs'. */
  readonly isBroken: boolean;
}

function askSecond(
  { second, signal }: ComposingPlaces,
  composers: Composers,
  subgraphs: readonly SubgraphSchema[],
): Promise<SecondComposition> {
  const asked = second
    .compose({ subgraphs }, signal)
    .then(({ composition }) => ({ composition, isBroken: false }))
    .catch((error: unknown): SecondComposition => {
      const errors = [problemOf(error, composers !== 'both')];
      return { composition: { kind: 'failed', errors }, isBroken: true };
    });
  asked.catch(() => undefined); // awaited once the first is done
  return asked;
}

async function compared(
  { second, signal }: ComposingPlaces,
  composers: Composers,
  apollo: Composition,
  asked: Promise<SecondComposition>,
): Promise<ComparedComposition> {
  const { composition: guild, isBroken } = await asked;
  const differences = await second
    .compare({ apollo, guild }, signal)
    .catch((error: unknown) => [problemOf(error, composers === 'strict')]);
  if (composers === 'strict' && differences.length > 0)
    return { composition: { kind: 'failed', errors: differences }, warnings: [] };
  return { composition: apollo, warnings: differences, ...(isBroken && { isFirstAlone: true }) };
}

/**
 * A second opinion that is missing is no reason for the first one to fail.
 *
 * @throws ThreadEnded where the second composer has to agree: a thread that ended says nothing of the schemas
 */
function problemOf(error: unknown, isNeeded: boolean): Diagnostic {
  if (isNeeded && error instanceof ThreadEnded) throw error;
  const message = error instanceof Error ? error.message : String(error);
  return { code: ownCodes.COMPOSERS_DIFFER, message, locations: [] };
}

import { randomBytes } from 'node:crypto';
import type { QueueCaller } from '@trellis/runtime/admission';
import { gatewayErrorCodes, rejected } from '../errors.ts';
import { questionText, type IntrospectionQuestion } from '../plan/introspection-question.ts';
import type { ErrorBehavior } from '../request/context.ts';
import { ownVariable, type Variables } from '../operation/document/decided-conditions.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { Introspector } from '../plan/introspection-question.ts';

/** What asking takes of a run. */
interface AskingRun {
  readonly supergraph: Supergraph;
  readonly context: {
    readonly variables: Variables;
    readonly introspector?: Introspector | undefined;
    readonly sharedBy?: QueueCaller | undefined;
    readonly defaultOnError?: ErrorBehavior | undefined;
    readonly signal: AbortSignal;
  };
}

/** Of all responses of introspection in one response together. */
const MAX_CHARACTERS = 33_554_432;
/** Subgraphs can't write it: what they send never looks like a place. */
const PLACE = randomBytes(16).toString('hex');
const PLACES = new RegExp(`"${PLACE}:(\\d+)"`, 'gu');

/**
 * Where results of introspection belong in the response to one run. They are long, and are asked for when it is known where they
 * belong: until they are known, something short stands for them. What is asked many times is asked for once.
 */
export class IntrospectionPlaces {
  /** By their texts, in the order of their places. */
  readonly #asked = new Map<string, { readonly index: number; readonly variables: readonly string[] }>();
  readonly #indexes = new Map<IntrospectionQuestion, number>();

  /** What stands for a response in the data. */
  placeOf(question: IntrospectionQuestion): string {
    let index = this.#indexes.get(question);
    if (index === undefined) {
      const text = questionText(question);
      ({ index } = this.#asked.get(text) ?? this.#ask(text, question));
      this.#indexes.set(question, index);
    }
    return `${PLACE}:${index}`;
  }

  #ask(text: string, { variables }: IntrospectionQuestion): { readonly index: number } {
    const asked = { index: this.#asked.size, variables };
    this.#asked.set(text, asked);
    return asked;
  }

  /**
   * Puts the responses into their places in the JSON of data. What has no place in it is not asked for: a response may have many
   * parts, and each is filled on its own.
   *
   * @throws RequestError RESPONSE_TOO_LARGE before anything is written that is too long, and what asking throws
   */
  async fill(withPlaces: string, run: AskingRun): Promise<string> {
    const placed = Array.from(withPlaces.matchAll(PLACES), ([, index]) => Number(index));
    if (placed.length === 0) return withPlaces;
    const results = await this.#resultsAt(new Set(placed), run);
    const characters = placed.reduce((sum, index) => sum + (results.get(index)?.length ?? 0), 0);
    if (characters > MAX_CHARACTERS)
      throw rejected('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
    return withPlaces.replace(PLACES, (_place, index) => results.get(Number(index)) ?? 'null');
  }

  async #resultsAt(indexes: ReadonlySet<number>, run: AskingRun): Promise<ReadonlyMap<number, string>> {
    const asked = [...this.#asked].filter(([, { index }]) => indexes.has(index));
    const results = asked.map(
      async ([text, { index, variables }]) => [index, await ask(text, variables, run)] as const,
    );
    return new Map(await Promise.all(results));
  }
}

function ask(
  text: string,
  names: readonly string[],
  { supergraph, context }: AskingRun,
): string | Promise<string> {
  const { introspector, sharedBy: caller, defaultOnError = 'PROPAGATE', signal } = context;
  if (!introspector) throw new Error('This execution has no introspector.');
  const variables = Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(context.variables, name))
      .map((name) => [name, ownVariable(context.variables, name)]),
  );
  return introspector.introspect({ supergraph, text, variables, defaultOnError, caller }, signal);
}

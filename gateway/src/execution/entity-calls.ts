import type { DataObject } from './failure.ts';
import type { FetchStep } from '../plan/fetch-step.ts';
import type { RepresentationBatch } from './representations.ts';

/** What {@link EntityCalls} leaves to others. */
export interface EntityCaller {
  /**
   * Asks about the objects of a batch, and merges what comes back.
   *
   * @returns the entities by the index of the representation; nothing when anything was wrong
   * @throws the signal's reason when the run is aborted
   */
  ask(
    step: FetchStep,
    batch: RepresentationBatch,
    variables: string,
  ): Promise<readonly unknown[] | undefined>;
  /** Merges an entity that was asked for before into more objects. */
  place(step: FetchStep, objects: readonly DataObject[], entity: unknown): void;
}

/**
 * The entity fetches of one run that ask for plain values. Fetches at several paths often ask one subgraph for the same
 * fields: those that begin in the same turn of the event loop become one call, and of an entity that was asked for
 * before nothing is asked again.
 */
export class EntityCalls {
  readonly #caller: EntityCaller;
  readonly #byKey = new Map<string, KnownEntities>();

  constructor(caller: EntityCaller) {
    this.#caller = caller;
  }

  /**
   * Brings what the step asks for to the objects of the batch.
   *
   * @param key what is asked, without the representations
   * @param variables JSON members beside the representations
   * @throws the signal's reason when the run is aborted
   */
  fetch(step: FetchStep, key: string, batch: RepresentationBatch, variables: string): Promise<unknown> {
    let known = this.#byKey.get(key);
    if (!known) this.#byKey.set(key, (known = new KnownEntities(this.#caller, step, variables)));
    return known.fetch(batch);
  }

  /** To be called when a mutation may have changed something. What is in flight still arrives where it was asked for. */
  forget(): void {
    this.#byKey.clear();
  }
}

/** One call: it grows until it is sent, and what joins it after that waits for its response. */
interface Call {
  readonly texts: string[];
  readonly targets: DataObject[][];
  readonly done: Promise<void>;
  /** Once it is answered. */
  entities: readonly unknown[] | undefined;
}

/** Where an entity was asked for. */
interface Asked {
  readonly call: Call;
  readonly index: number;
}

/** What was asked of one subgraph by one selection, by representation. */
class KnownEntities {
  readonly #caller: EntityCaller;
  readonly #step: FetchStep;
  readonly #variables: string;
  readonly #byText = new Map<string, Asked>();
  #open: Call | undefined;

  constructor(caller: EntityCaller, step: FetchStep, variables: string) {
    this.#caller = caller;
    this.#step = step;
    this.#variables = variables;
  }

  fetch({ texts, targets }: RepresentationBatch): Promise<unknown> {
    const waitsFor = new Set<Call>();
    for (const [index, objects] of targets.entries()) {
      const { call, index: at } = this.#askFor(texts[index] ?? '');
      if (call.entities) this.#caller.place(this.#step, objects, call.entities[at]);
      else {
        call.targets[at]?.push(...objects);
        waitsFor.add(call);
      }
    }
    const [only] = waitsFor;
    return only && waitsFor.size === 1 ? only.done : Promise.all(Array.from(waitsFor, ({ done }) => done));
  }

  #askFor(text: string): Asked {
    let asked = this.#byText.get(text);
    if (!asked) {
      const call = (this.#open ??= this.#begin());
      asked = { call, index: call.texts.push(text) - 1 };
      call.targets.push([]);
      this.#byText.set(text, asked);
    }
    return asked;
  }

  #begin(): Call {
    const call: Call = {
      texts: [],
      targets: [],
      done: endOfTurn().then(() => this.#send(call)),
      entities: undefined,
    };
    return call;
  }

  async #send(call: Call): Promise<void> {
    this.#open = undefined;
    const { texts, targets } = call;
    call.entities = await this.#caller.ask(
      this.#step,
      { texts, targets, missing: nothingMissing },
      this.#variables,
    );
    if (!call.entities) for (const text of texts) this.#byText.delete(text); // the next one may fare better
  }
}

const nothingMissing: RepresentationBatch['missing'] = new Map();

/** When all that can begin now has begun: promises that are settled come first. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

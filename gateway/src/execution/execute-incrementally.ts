import { GraphQLError } from 'graphql';
import type { Completed, DeferredOccurrence } from './completed.ts';
import type { IntrospectionPlaces } from './introspection-places.ts';
import { PlanRun, type ExecutionContext } from './plan-run.ts';
import { completeRun, takeLooseErrors, untoldErrors } from './run-plan.ts';
import { whenAborted, DeadlineSignal } from '../abort/deadline-signal.ts';
import type { Plan } from '../plan/plan.ts';
import { completePart, isWholePart, wholePart, type PartCompletion } from './complete-part.ts';
import type {
  CompletedPart,
  IncrementalResult,
  IncrementalUpdate,
  PendingPart,
} from './incremental-result.ts';
import { PlanProgress } from './plan-progress.ts';

/** A response whose first part is complete. */
export interface RunningIncrementalResult extends IncrementalResult {
  /** Gives up what is not there yet, unless it was asked for. */
  stop(): void;
}

/**
 * Runs a plan whose response comes in parts. The first part waits for what it needs alone; a deferred part comes as soon as
 * its data has arrived and its parent part is delivered.
 *
 * @throws the signal's reason when it is aborted before the first part is complete
 * @throws GraphQLError RESPONSE_TOO_LARGE when there are too many parts; the updates throw likewise
 */
export async function executeIncrementally(
  plan: Plan,
  context: ExecutionContext,
): Promise<RunningIncrementalResult> {
  context.signal.throwIfAborted();
  const signal = new DeadlineSignal();
  const stopWatching = whenAborted(context.signal, () => signal.abort(context.signal.reason));
  const stop = (): void => {
    stopWatching();
    signal.abort(new Error('The client no longer waits for the rest of the response.'));
  };
  const run = new PlanRun(plan, { ...context, signal });
  const progress = new PlanProgress(plan, run);
  try {
    return await beginResponse({
      run,
      progress,
      announcer: new PartAnnouncer(),
      explained: new Set(),
      stop,
    });
  } catch (error) {
    stop();
    throw error;
  }
}

async function beginResponse(inParts: RunInParts): Promise<RunningIncrementalResult> {
  const { run, progress, announcer, stop } = inParts;
  const first = await completeFirst(run, progress);
  const announced = announcer.announce(first.deferred);
  for (const origin of first.origins) inParts.explained.add(origin);
  const errors = [...first.errors, ...takeLooseErrors(run, (step) => progress.isMadeFor(step))];
  const withPlaces = JSON.stringify(first.data);
  const dataText = run.introspection ? await run.introspection.fill(withPlaces, run) : withPlaces;
  if (announced.length === 0) stop();
  const untold = announced.length === 0 ? untoldOf(inParts) : [];
  return {
    initial: {
      dataText,
      errors,
      objects: first.objects,
      headers: run.headers,
      ...(untold.length > 0 && { untold }),
    },
    pending: announced.map(({ pending }) => pending),
    updates: updatesOf(inParts, announced),
    stop,
  };
}

async function completeFirst(run: PlanRun, progress: PlanProgress): Promise<Completed> {
  for (;;) {
    if (progress.isFetched()) {
      const completed = completeRun(run);
      if (progress.settles(completed)) return completed;
    }
    await progress.next();
  }
}

/** One run of a plan, and who waits for what. */
interface RunInParts {
  readonly run: PlanRun;
  readonly progress: PlanProgress;
  readonly announcer: PartAnnouncer;
  /** Errors of subgraphs that explain something in the parts so far. */
  readonly explained: Set<object>;
  readonly stop: () => void;
}

/** Errors that no part has reported. Which part they belong to is unknown: they are for the log. */
function untoldOf({ run, explained }: RunInParts): readonly GraphQLError[] {
  return untoldErrors(run, { origins: explained });
}

async function* updatesOf(
  inParts: RunInParts,
  announced: readonly AnnouncedPart[],
): AsyncGenerator<IncrementalUpdate> {
  const { run, progress, announcer, stop } = inParts;
  try {
    let waiting = announced;
    while (waiting.length > 0) {
      const { completed, deferred, left } = completeReadyParts(inParts, waiting);
      if (completed.length === 0) {
        await progress.next();
        continue;
      }
      const news = announcer.announce(deferred);
      waiting = [...left, ...news];
      const pending = news.map((part) => part.pending);
      const filled = run.introspection ? await fillParts(completed, run.introspection, run) : completed;
      const hasNext = waiting.length > 0;
      const untold = hasNext ? [] : untoldOf(inParts);
      yield { completed: filled, pending, hasNext, ...(untold.length > 0 && { untold }) };
    }
  } finally {
    stop();
  }
}

/** What is asked of the schema is put in when the parts are there: nothing may happen unnoticed while they are looked at. */
function fillParts(
  parts: readonly CompletedPart<GraphQLError>[],
  places: IntrospectionPlaces,
  run: PlanRun,
): Promise<readonly CompletedPart<GraphQLError>[]> {
  const fill = (text: string): Promise<string> => places.fill(text, run);
  return Promise.all(
    parts.map(async ({ dataText, added, ...part }) => ({
      ...part,
      dataText: dataText === undefined ? undefined : await fill(dataText),
      added: await Promise.all(
        added.map(async ({ path, dataText: text }) => ({ path, dataText: await fill(text) })),
      ),
    })),
  );
}

interface Harvest {
  readonly completed: CompletedPart<GraphQLError>[];
  readonly deferred: DeferredOccurrence[];
  readonly left: AnnouncedPart[];
}

/** Each part is added to what the client has before the next is looked at: what two parts share comes with the first. */
function completeReadyParts(inParts: RunInParts, waiting: readonly AnnouncedPart[]): Harvest {
  const { run, progress, explained } = inParts;
  const harvest: Harvest = { completed: [], deferred: [], left: [] };
  for (const part of waiting) {
    const { id } = part.occurrence.shape.defer;
    const completion = progress.isFetched(id) ? completePart(part.occurrence, run) : undefined;
    if (!completion || !progress.settles(completion)) harvest.left.push(part);
    else {
      const looseErrors = takeLooseErrors(run, (step) => progress.isMadeFor(step, id));
      harvest.completed.push(written(part, completion, looseErrors));
      harvest.deferred.push(...completion.deferred);
      for (const origin of completion.origins) explained.add(origin);
    }
  }
  return harvest;
}

function written(
  { pending, occurrence }: AnnouncedPart,
  { additions, errors, objects }: PartCompletion,
  looseErrors: readonly GraphQLError[],
): CompletedPart<GraphQLError> {
  const all = [...errors, ...looseErrors];
  if (!additions) return { pending, dataText: undefined, added: [], errors: all, objects };
  const isWhole = isWholePart(additions, occurrence);
  const added = additions.map(({ path, fields }) => ({ path, dataText: JSON.stringify(fields) }));
  for (const { delivered, fields } of additions) Object.assign(delivered, fields);
  const [only] = added;
  const dataText = only && isWhole ? only.dataText : JSON.stringify(wholePart(occurrence));
  return { pending, dataText, added, errors: all, objects };
}

/** An announced part and the place it adds to. */
interface AnnouncedPart {
  readonly pending: PendingPart;
  readonly occurrence: DeferredOccurrence;
}

/** Parts of one response: a fragment deferred in a list makes one for each element. */
const MAX_PARTS = 10_000;

/** Names the parts of one response, and bounds how many there are. */
class PartAnnouncer {
  #announced = 0;

  /** @throws GraphQLError RESPONSE_TOO_LARGE when there are more than 10,000 */
  announce(occurrences: readonly DeferredOccurrence[]): AnnouncedPart[] {
    if (this.#announced + occurrences.length > MAX_PARTS) throw tooManyParts();
    return occurrences.map((occurrence) => {
      const id = String(this.#announced++);
      const { shape, path } = occurrence;
      return { pending: { id, label: shape.defer.label, path }, occurrence };
    });
  }
}

function tooManyParts(): GraphQLError {
  return new GraphQLError(`The response has more than ${MAX_PARTS} parts; defer less.`, {
    extensions: { code: 'RESPONSE_TOO_LARGE' },
  });
}

import { GraphQLError } from 'graphql';
import type { Completed } from './completed.ts';
import { PlanRun, type ExecutionContext } from './plan-run.ts';
import { completeRun, takeLooseErrors, unreportedErrors } from './run-plan.ts';
import { whenAborted, DeadlineSignal } from '../abort/deadline-signal.ts';
import type { Plan } from '../plan/plan.ts';
import { completePart, isWholePart, wholePart, type PartCompletion } from './complete-part.ts';
import type {
  CompletedPart,
  IncrementalResult,
  IncrementalUpdate,
  PendingPart,
  StreamedItems,
} from './incremental-result.ts';
import { PendingParts, type DeferredPart } from './pending-parts.ts';
import { PlanProgress } from './plan-progress.ts';
import { StreamRound, type Branch, type StreamedList } from './stream-rounds.ts';
import type { PreparedStream } from '../plan/prepared-operation.ts';

/** One for all: an error of its own for each response cost more than the rest of its end. */
const NO_LONGER_AWAITED = new Error('The client no longer waits for the rest of the response.');

/** A response whose first part is complete. */
export interface RunningIncrementalResult extends IncrementalResult {
  /** Settles when all has been fetched that does not wait for the client to read, or given up. */
  readonly fetched: Promise<void>;
  /** Gives up what has not arrived yet, unless it was asked for. */
  stop(): void;
}

/**
 * Runs a plan whose response comes in parts. The first part waits for what it needs alone; a deferred part comes as soon as
 * its data has arrived and its parent part is delivered; items of a streamed list come in rounds.
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
    signal.abort(NO_LONGER_AWAITED);
  };
  const run = new PlanRun(plan, { ...context, signal });
  const progress = new PlanProgress(plan, run);
  try {
    return await beginResponse({
      main: { run, progress },
      pendingParts: new PendingParts(),
      explained: new Set(),
      unreported: [],
      stop,
    });
  } catch (error) {
    stop();
    throw error;
  }
}

async function beginResponse(incremental: IncrementalRun): Promise<RunningIncrementalResult> {
  const { main, stop } = incremental;
  const { run, progress } = main;
  const first = await completeFirst(run, progress);
  const work = addPending(incremental, first, main);
  for (const origin of first.origins) incremental.explained.add(origin);
  const errors = [...first.errors, ...takeLooseErrors(run, (step) => progress.isMadeFor(step))];
  const withPlaces = JSON.stringify(first.data);
  const dataText = run.introspection ? await run.introspection.fill(withPlaces, run) : withPlaces;
  const isWhole = work.pending.length === 0;
  if (isWhole) stop();
  const unreported = isWhole ? unreportedOf(incremental, main) : [];
  const { objects } = first;
  return {
    initial: {
      dataText,
      errors,
      objects,
      headers: run.headers,
      ...(unreported.length > 0 && { unreported }),
    },
    pending: work.pending,
    fetched: whenFetched(run.context.signal, [main, ...work.rounds.map(({ branch }) => branch)]),
    updates: updatesOf(incremental, work),
    stop,
  };
}

function whenFetched(signal: AbortSignal, branches: readonly Branch[]): Promise<void> {
  return new Promise((fetched) => {
    whenAborted(signal, fetched);
    void Promise.all(branches.map(({ progress }) => progress.over)).then(() => fetched());
  });
}

/** What is pending, and what it waits for. */
interface PendingWork {
  readonly pending: readonly PendingPart[];
  readonly parts: readonly DeferredPart[];
  readonly rounds: readonly StreamRound[];
}

/** Adds what a completion leaves for later. The first rounds of its lists begin. */
function addPending(
  { pendingParts }: IncrementalRun,
  { deferred, streamed }: Pick<Completed, 'deferred' | 'streamed'>,
  branch: Branch,
): PendingWork {
  const parts = pendingParts.add(deferred, branch);
  const lists = pendingParts.addLists(streamed);
  return {
    pending: [...parts, ...lists].map(({ pending }) => pending),
    parts,
    rounds: roundsOf(lists, branch.run),
  };
}

function roundsOf(lists: readonly StreamedList[], main: PlanRun): readonly StreamRound[] {
  const byStream = new Map<PreparedStream, StreamedList[]>();
  for (const list of lists) {
    const { stream } = list.occurrence;
    const known = byStream.get(stream);
    if (known) known.push(list);
    else byStream.set(stream, [list]);
  }
  return Array.from(byStream.values(), (ofOne) => new StreamRound(main, ofOne));
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

/** One operation, and who waits for what. */
interface IncrementalRun {
  readonly main: Branch;
  readonly pendingParts: PendingParts;
  /** Errors of subgraphs that explain something in the parts so far. */
  readonly explained: Set<object>;
  /** Errors of rounds that are over, for the log. */
  readonly unreported: GraphQLError[];
  readonly stop: () => void;
}

/** Errors that no part has reported. Which part they belong to is unknown: they are for the log. */
function unreportedOf({ explained }: IncrementalRun, { run }: Branch): readonly GraphQLError[] {
  return unreportedErrors(run, { origins: explained });
}

async function* updatesOf(incremental: IncrementalRun, work: PendingWork): AsyncGenerator<IncrementalUpdate> {
  const { main, stop, unreported: ofRounds } = incremental;
  try {
    let { parts, rounds } = work;
    while (parts.length + rounds.length > 0) {
      const harvest = completeReadyParts(incremental, parts);
      harvestRounds(incremental, rounds, harvest);
      if (harvest.completed.length + harvest.streamed.length === 0) {
        await anyProgress(parts, rounds);
        continue;
      }
      const added = harvest.found.map(({ found, branch }) => addPending(incremental, found, branch));
      parts = [...harvest.left, ...added.flatMap((one) => one.parts)];
      rounds = [...harvest.rounds, ...added.flatMap((one) => one.rounds)];
      const pending = added.flatMap((one) => one.pending);
      const completed = harvest.completed.some(isOfSchema)
        ? await Promise.all(harvest.completed.map(({ part, run }) => fillPart(part, run)))
        : harvest.completed.map(({ part }) => part);
      const streamed = harvest.streamed.some(isOfSchema)
        ? await Promise.all(harvest.streamed.map(({ items, run }) => fillItems(items, run)))
        : harvest.streamed.map(({ items }) => items);
      const hasNext = parts.length + rounds.length > 0;
      const unreported = hasNext ? [] : [...unreportedOf(incremental, main), ...ofRounds];
      yield { completed, streamed, pending, hasNext, ...(unreported.length > 0 && { unreported }) };
    }
  } finally {
    stop();
  }
}

/** Waits until something has been fetched that anything waits for. Where nothing is, completing has settled all. */
async function anyProgress(parts: readonly DeferredPart[], rounds: readonly StreamRound[]): Promise<void> {
  const running = new Set<PlanProgress>();
  for (const { branch } of parts) if (!branch.progress.isOver) running.add(branch.progress);
  for (const { branch } of rounds) if (!branch.progress.isOver) running.add(branch.progress);
  const [first] = running;
  if (running.size === 1) await first?.next();
  else if (first) await Promise.race(Array.from(running, (progress) => progress.next()));
}

/** Whether something of a part is asked of the schema. */
function isOfSchema({ run }: { readonly run: PlanRun }): boolean {
  return run.introspection !== undefined;
}

/** What is asked of the schema is put in when the parts are complete: nothing may happen unnoticed while they are looked at. */
async function fillPart(
  part: CompletedPart<GraphQLError>,
  run: PlanRun,
): Promise<CompletedPart<GraphQLError>> {
  const { introspection } = run;
  if (!introspection) return part;
  const { dataText, added } = part;
  const fill = (text: string): Promise<string> => introspection.fill(text, run);
  return {
    ...part,
    dataText: dataText === undefined ? undefined : await fill(dataText),
    added: await Promise.all(
      added.map(async ({ path, dataText: text }) => ({ path, dataText: await fill(text) })),
    ),
  };
}

async function fillItems(
  items: StreamedItems<GraphQLError>,
  run: PlanRun,
): Promise<StreamedItems<GraphQLError>> {
  const { introspection } = run;
  if (!introspection) return items;
  const itemTexts = await Promise.all(items.itemTexts.map((text) => introspection.fill(text, run)));
  return { ...items, itemTexts };
}

interface Harvest {
  readonly completed: { readonly part: CompletedPart<GraphQLError>; readonly run: PlanRun }[];
  readonly streamed: { readonly items: StreamedItems<GraphQLError>; readonly run: PlanRun }[];
  /** What the parts leave for later. */
  readonly found: {
    readonly found: Pick<Completed, 'deferred' | 'streamed'>;
    readonly branch: Branch;
  }[];
  readonly left: DeferredPart[];
  readonly rounds: StreamRound[];
}

/** Each part is added to what the client has before the next is looked at: what two parts share comes with the first. */
function completeReadyParts({ explained }: IncrementalRun, waiting: readonly DeferredPart[]): Harvest {
  const harvest: Harvest = { completed: [], streamed: [], found: [], left: [], rounds: [] };
  for (const part of waiting) {
    const { occurrence, branch } = part;
    const { run, progress } = branch;
    const { id } = occurrence.shape.defer;
    const completion = progress.isFetched(id) ? completePart(occurrence, run) : undefined;
    if (!completion || !progress.settles(completion)) harvest.left.push(part);
    else {
      const looseErrors = takeLooseErrors(run, (step) => progress.isMadeFor(step, id));
      harvest.completed.push({ part: written(part, completion, looseErrors), run });
      harvest.found.push({ found: completion, branch });
      for (const origin of completion.origins) explained.add(origin);
    }
  }
  return harvest;
}

/** Items of all rounds that are ready. The round after each begins. */
function harvestRounds(incremental: IncrementalRun, rounds: readonly StreamRound[], harvest: Harvest): void {
  for (const round of rounds) {
    const { branch } = round;
    const result = round.complete();
    if (!result) {
      harvest.rounds.push(round);
      continue;
    }
    for (const origin of result.origins) incremental.explained.add(origin);
    const [first, ...others] = result.streamed;
    const loose = takeLooseErrors(branch.run);
    const all = first ? [{ ...first, errors: [...first.errors, ...loose] }, ...others] : [];
    harvest.streamed.push(...all.map((items) => ({ items, run: branch.run })));
    harvest.found.push({ found: { deferred: result.deferred, streamed: [] }, branch });
    if (result.deferred.length === 0) incremental.unreported.push(...unreportedOf(incremental, branch));
    if (result.next) harvest.rounds.push(result.next);
  }
}

function written(
  { pending, occurrence }: DeferredPart,
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

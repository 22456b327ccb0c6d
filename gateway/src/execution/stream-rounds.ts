import type { GraphQLError } from 'graphql';
import { completeItem, type CompletedItem } from './complete-data.ts';
import type { DeferredOccurrence, StreamedOccurrence } from './completed.ts';
import type { PendingPart, StreamedItems } from './incremental-result.ts';
import { PlanProgress } from './plan-progress.ts';
import { PlanRun } from './plan-run.ts';
import type { ListWindow } from './streamed-targets.ts';
import type { PreparedStream } from '../plan/prepared-operation.ts';

/** A run, and how far its fetches are. */
export interface Branch {
  readonly run: PlanRun;
  readonly progress: PlanProgress;
}

/** A pending list, and how many of its items the client has. */
export interface StreamedList {
  readonly pending: PendingPart;
  readonly occurrence: StreamedOccurrence;
  readonly delivered: number;
}

/** Items of the first round beyond the initial ones; each round has twice as many as the one before. */
const FIRST_ITEMS = 10;

/** What a round comes to. */
export interface RoundResult {
  readonly streamed: readonly StreamedItems<GraphQLError>[];
  /** Deferred fragments inside the items. */
  readonly deferred: readonly DeferredOccurrence[];
  readonly origins: readonly object[];
  /** The round that follows. Absent where all lists have ended. */
  readonly next: StreamRound | undefined;
}

/**
 * The next items of all lists that one `@stream` makes, with what is fetched for them: once for all of these lists, so that it makes no more
 * requests than if there were one list. Rounds follow one another, each larger; where the requests that the operation may make would not
 * suffice for one more, all items that are left come at once. Items come with all that is below them: lists there are not streamed.
 */
export class StreamRound {
  readonly branch: Branch;
  readonly #main: PlanRun;
  readonly #stream: PreparedStream;
  readonly #lists: readonly (StreamedList & ListWindow)[];
  readonly #size: number;

  /** @param main the run that brought the lists; @param lists at least one, all of one stream */
  constructor(main: PlanRun, lists: readonly StreamedList[], size?: number) {
    const [first] = lists;
    if (!first) throw new TypeError('A round has no list.');
    const { stream } = first.occurrence;
    this.#main = main;
    this.#stream = stream;
    this.#size = size ?? Math.max(FIRST_ITEMS, main.countOf(stream));
    const count = this.#takeRequests(lists) ? this.#size : Number.POSITIVE_INFINITY;
    this.#lists = lists.map((list) => ({
      ...list,
      from: list.delivered,
      to: Math.min(list.occurrence.list.length, list.delivered + count),
    }));
    const windows = new Map(this.#lists.map(({ occurrence, from, to }) => [occurrence.list, { from, to }]));
    const context = { ...main.context, headerDisclosure: undefined }; // the head of the response is sent
    const run = new PlanRun(main.plan, context, { of: main, windows: { stream, windows } });
    const plan = main.plan.streams.get(stream) ?? { step: undefined, parts: undefined };
    this.branch = { run, progress: new PlanProgress(plan, run) };
  }

  /** @returns nothing while items may lack something that is still fetched */
  complete(): RoundResult | undefined {
    const { progress } = this.branch;
    if (!progress.isFetched(this.#stream.deferId)) return undefined;
    const completed = this.#lists.map((list) => this.#completeList(list));
    if (completed.some((list) => !list)) return undefined;
    const lists = completed.filter((list) => list !== undefined);
    const items = lists.flatMap((list) => list.items);
    const left = lists.flatMap(({ rest }) => rest ?? []);
    return {
      streamed: lists.map(({ streamed }) => streamed),
      deferred: items.flatMap(({ deferred }) => deferred),
      origins: lists.flatMap(({ origins }) => origins),
      next: left.length > 0 ? new StreamRound(this.#main, left, this.#size * 2) : undefined,
    };
  }

  /** Where nothing is fetched for items there is nothing to wait for: they come together. */
  #takeRequests(lists: readonly StreamedList[]): boolean {
    const { plan, subgraphRequests, context } = this.#main;
    const { maxRequests = Number.POSITIVE_INFINITY } = context;
    const needed = plan.streams.get(this.#stream)?.subgraphRequests ?? 0;
    const isLast = lists.every(
      ({ occurrence, delivered }) => occurrence.list.length <= delivered + this.#size,
    );
    if (isLast) return true;
    if (needed === 0 || subgraphRequests.made + needed > maxRequests) return false;
    subgraphRequests.made += needed; // those of the last round are counted with the plan
    return true;
  }

  #completeList(list: StreamedList & ListWindow): CompletedList | undefined {
    const { occurrence, from, to } = list;
    const items: CompletedItem[] = [];
    for (let index = from; index < to; index += 1) {
      const item = completeItem(occurrence, index, this.branch.run);
      if (!this.branch.progress.settles(item)) return undefined;
      if (item.value === undefined) return endedList(list, items, item);
      items.push(item);
    }
    const isLast = to >= occurrence.list.length;
    return {
      items,
      origins: originsOf(items),
      streamed: { ...itemsOf(list, items), isLast },
      rest: isLast ? undefined : { ...advanced(list, to), delivered: to },
    };
  }
}

interface CompletedList {
  readonly items: readonly CompletedItem[];
  readonly origins: readonly object[];
  readonly streamed: StreamedItems<GraphQLError>;
  readonly rest: StreamedList | undefined;
}

/** A null that the list can't hold would replace what the client has: the list ends before it. */
function endedList(
  list: StreamedList & ListWindow,
  items: readonly CompletedItem[],
  cause: CompletedItem,
): CompletedList {
  return {
    items,
    origins: originsOf([...items, cause]),
    streamed: { ...itemsOf(list, items), isLast: true, endedBy: cause.errors },
    rest: undefined,
  };
}

function originsOf(items: readonly CompletedItem[]): readonly object[] {
  return items.flatMap(({ origins }) => [...origins]);
}

function itemsOf(
  { pending }: StreamedList,
  items: readonly CompletedItem[],
): Omit<StreamedItems<GraphQLError>, 'isLast'> {
  return {
    pending,
    itemTexts: items.map(({ value }) => JSON.stringify(value)),
    errors: items.flatMap(({ errors }) => errors),
    objects: items.reduce((sum, { objects }) => sum + objects, 0),
  };
}

function advanced({ pending, occurrence }: StreamedList, items: number): Omit<StreamedList, 'delivered'> {
  return { pending: { ...pending, items }, occurrence };
}

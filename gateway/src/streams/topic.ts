import { setImmediate as nextTurn } from 'node:timers/promises';
import { EVENT_ID_EXTENSION, readEventId } from '@trellis/subgraph-protocol';
import { StreamedResult } from '../pipeline/result-stream.ts';
import { type StreamFailure, errorsOfFailure, failureOf } from './stream-failure.ts';
import { isInternal } from '../pipeline/format-errors.ts';
import { runEvent, type SharedOperation } from '../pipeline/stream-runs.ts';
import { writeResult } from '../pipeline/respond.ts';
import type { SubscriptionPlan } from '../plan/plan.ts';
import type { UpstreamFailure, UpstreamStream } from './upstream-stream.ts';

/** Where the results of a topic come from. */
export interface TopicSource {
  /** Begins. @returns ends it */
  start(emitter: TopicEmitter): () => void;
  /** Whether it would notice what happens now. */
  isEstablished(): boolean;
  /** Whether it is the same source as another topic's: then nothing is missed between the two. */
  isSameAs(other: TopicSource): boolean;
}

/** Takes the results of a source, in their order. Nothing follows the other two. */
export interface TopicEmitter {
  /** Whether there are subscribers: otherwise no result need be made. */
  hasSubscribers(): boolean;
  /** @param making the next result, or nothing where there is nothing to send; does not reject */
  result(making: Promise<StreamedResult | undefined>): void;
  complete(): void;
  fail(failure: StreamFailure): void;
}

/** Who gets the results of a topic. */
export interface TopicMember {
  deliver(result: StreamedResult): void;
  complete(): void;
  fail(failure: StreamFailure): void;
}

/** Settings of {@link Topic}. */
interface TopicOptions {
  readonly source: TopicSource;
  /** Whether who joins gets the last result at once: it says how things are, not what has happened. */
  readonly repeatsLast: boolean;
  readonly onDelivered: (members: number) => void;
  /** No subscriber can join any more. */
  readonly onEnd: () => void;
}

/** Members that hear a result in one turn of the event loop: others wait no longer than for these. */
const MEMBERS_PER_TURN = 200;
/** Results that are being made at once. A source that is faster for long has to be stopped. */
const MAX_PENDING = 1_000;

/**
 * One stream of results, made once for all of its members. A result goes to those who were members when its event came;
 * results keep the order of their events, also for a member that comes from another topic.
 */
export class Topic implements TopicEmitter {
  readonly #options: TopicOptions;
  #members: Set<TopicMember> = new Set();
  /** Whether a delivery uses this set of members: then a change makes another one. */
  #isHeld = false;
  /** Settles when all results have been delivered that were begun so far. */
  #delivered: Promise<void> = Promise.resolve();
  #pending = 0;
  #last: StreamedResult | undefined;
  #lastEventMs = 0;
  #stop: (() => void) | undefined;
  #isEnded = false;

  constructor(options: TopicOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get source(): TopicSource {
    return this.#options.source;
  }

  /** Milliseconds since something came from the source. */
  get idleMs(): number {
    return Date.now() - this.#lastEventMs;
  }

  /** Begins before there are members, so that nothing is missed when they come. */
  start(): void {
    this.#stop ??= this.#options.source.start(this);
  }

  /** Adds a member, which begins with the next event. */
  join(member: TopicMember): void {
    this.#change((members) => members.add(member));
    if (this.#options.repeatsLast && this.#last) member.deliver(this.#last);
    this.start();
  }

  /** Adopts a member of another topic: it gets all events once, and each after the one before. */
  adopt(member: TopicMember, from: Topic): void {
    this.#delivered = Promise.all([this.#delivered, from.#delivered]).then(() => undefined);
    this.join(member);
    from.#change((members) => members.delete(member));
    void from.#delivered.then(() => from.#endIfEmpty()); // what it has begun for the member comes to its end
  }

  /** The last to leave ends the topic. */
  leave(member: TopicMember): void {
    this.#change((members) => members.delete(member));
    this.#endIfEmpty();
  }

  #endIfEmpty(): void {
    if (this.#members.size === 0) this.end();
  }

  /** Ends the source; members hear nothing. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stop?.();
    this.#options.onEnd();
  }

  hasSubscribers(): boolean {
    return this.#members.size > 0;
  }

  result(making: Promise<StreamedResult | undefined>): void {
    this.#lastEventMs = Date.now();
    if (this.#pending >= MAX_PENDING) return this.fail({ kind: 'overrun' });
    this.#pending += 1;
    const subscribers = this.#members;
    this.#isHeld = true;
    this.#delivered = this.#delivered.then(() => making).then((result) => this.#deliver(result, subscribers));
  }

  complete(): void {
    this.#finish((member) => member.complete());
  }

  fail(failure: StreamFailure): void {
    this.#finish((member) => member.fail(failure));
  }

  /** A state goes to all subscribers of now; an event, to those of the moment when it happened. */
  async #deliver(result: StreamedResult | undefined, subscribers: ReadonlySet<TopicMember>): Promise<void> {
    this.#pending -= 1;
    if (!result) return;
    const { repeatsLast, onDelivered } = this.#options;
    if (repeatsLast) this.#last = result;
    const members = repeatsLast ? new Set(this.#members) : subscribers;
    let delivered = 0;
    for (const member of members) {
      member.deliver(result);
      delivered += 1;
      if (delivered % MEMBERS_PER_TURN === 0) await nextTurn();
    }
    onDelivered(delivered);
  }

  /** What was begun comes to its end and is delivered before. */
  #finish(notify: (member: TopicMember) => void): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.onEnd();
    const subscribers = new Set(this.#members);
    this.#delivered = this.#delivered.then(() => {
      this.#stop?.();
      for (const member of subscribers) notify(member);
    });
  }

  #change(apply: (members: Set<TopicMember>) => void): void {
    if (this.#isHeld) {
      this.#members = new Set(this.#members);
      this.#isHeld = false;
    }
    apply(this.#members);
  }
}

/** Results made of a subgraph's events. */
export class SubscriptionSource implements TopicSource {
  readonly #shared: SharedOperation;
  readonly #subscription: SubscriptionPlan;
  readonly #upstream: UpstreamStream;

  constructor(shared: SharedOperation, subscription: SubscriptionPlan, upstream: UpstreamStream) {
    this.#shared = shared;
    this.#subscription = subscription;
    this.#upstream = upstream;
  }

  isEstablished(): boolean {
    return this.#upstream.isEstablished;
  }

  isSameAs(other: TopicSource): boolean {
    return other instanceof SubscriptionSource && other.#upstream === this.#upstream;
  }

  start(emitter: TopicEmitter): () => void {
    const { subgraph } = this.#subscription.primary;
    const closing = new AbortController();
    const ignore = this.#upstream.listen({
      event: (payload) => {
        if (emitter.hasSubscribers()) emitter.result(this.#makeResult(payload, closing.signal));
      },
      complete: () => emitter.complete(),
      fail: (failure) => emitter.fail(this.#report(this.#failureOf(subgraph, failure))),
    });
    return () => {
      ignore();
      closing.abort();
    };
  }

  #failureOf(subgraph: string, failure: UpstreamFailure): StreamFailure {
    return failureOf(subgraph, failure, this.#shared.services().disclosureOf?.(subgraph));
  }

  /** Once for all of its subscribers. */
  #report(failure: StreamFailure): StreamFailure {
    const { observer } = this.#shared.services();
    for (const error of errorsOfFailure(failure).filter(isInternal))
      observer.internalError(this.#shared.context.requestId, error);
    return failure;
  }

  async #makeResult(payload: unknown, closing: AbortSignal): Promise<StreamedResult> {
    const extensions = extensionsOf(payload);
    const { response, objects } = await runEvent(this.#shared, payload, closing);
    return new StreamedResult(writeResult({ ...response, extensions }), objects);
  }
}

/** The id of the event to resume after is the only extension that a subgraph gets. */
function extensionsOf(payload: unknown): Readonly<Record<string, unknown>> | undefined {
  const extensions =
    typeof payload === 'object' && payload !== null && 'extensions' in payload
      ? payload.extensions
      : undefined;
  const id = readEventId(extensions);
  return id === undefined ? undefined : { [EVENT_ID_EXTENSION]: id };
}

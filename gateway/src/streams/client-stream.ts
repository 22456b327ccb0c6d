import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../identity/caller.ts';
import { gatewayErrorCodes, rejected, RequestError } from '../errors.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import { formatErrors } from '../pipeline/format-errors.ts';
import type { ResultSink, ResultStream, StreamedResult } from '../pipeline/result-stream.ts';
import type { StreamContext } from '../pipeline/stream-runs.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { CallerWatch, RunsForCaller } from './caller-watch.ts';
import { errorsOfFailure, failureFrom, type StreamFailure } from './stream-failure.ts';
import type { StreamKind } from './stream-observer.ts';
import type { Topic, TopicMember } from './topic.ts';

/** What a client's stream needs of those who keep it. */
export interface StreamKeeper {
  readonly watch: CallerWatch;
  services(): PipelineServices;
  /** Lets the operation in again. @throws RequestError */
  readmit(admitted: AdmittedOperation, supergraph: Supergraph, caller: Caller): AdmittedOperation;
  /**
   * Plans an operation, and finds its topic when that is asked for.
   *
   * @throws RequestError when there is nothing that its caller may see
   */
  topicOf(admitted: AdmittedOperation, context: StreamContext, streamId: string): Promise<() => Topic>;
  /** @param outcome `stopped`, `completed`, or the code of the error that ended it */
  ended(stream: ClientStream, outcome: string): void;
}

/** A subscriber without a client: holds a topic open. */
const PLACEHOLDER: Readonly<TopicMember> = {
  deliver: () => undefined,
  complete: () => undefined,
  fail: () => undefined,
};

/** One client's subscription or live query, from its admission to its end. */
export class ClientStream implements ResultStream, TopicMember, RunsForCaller {
  readonly kind: StreamKind;
  #isEnded = false;
  #sink: ResultSink | undefined;
  /** The last result of a live query: another topic may begin with the same one. */
  #lastText: string | undefined;
  readonly #id: string;
  readonly context: StreamContext;
  /** The generation that it is on, or on the way to. */
  supergraph: Supergraph;
  readonly #keeper: StreamKeeper;
  readonly #release: () => void;
  #admitted: AdmittedOperation;
  #findTopic: () => Topic;
  #topic: Topic | undefined;
  #moves: Promise<void> = Promise.resolve();
  /** Objects of its events that have not been charged. */
  #objects = 0;

  /** @param release gives back the place that the stream takes in its client's share */
  constructor(
    { admitted, context, kind, id }: OpenedStream,
    findTopic: () => Topic,
    keeper: StreamKeeper,
    release: () => void,
  ) {
    this.kind = kind;
    this.#id = id;
    this.#admitted = admitted;
    this.supergraph = admitted.supergraph;
    this.context = context;
    this.#findTopic = findTopic;
    this.#keeper = keeper;
    this.#release = release;
  }

  get caller(): Caller {
    return this.#admitted.caller;
  }

  start(sink: ResultSink): void {
    if (this.#isEnded) return;
    this.#sink = sink;
    this.#topic = this.#findTopic();
    this.#topic.join(this);
    this.#keeper.watch.add(this);
  }

  stop(): void {
    this.#end('stopped');
  }

  renew(caller: Caller): void {
    this.#keeper.watch.delete(this);
    this.#admitted = { ...this.#admitted, caller };
    this.#keeper.watch.add(this);
    this.#moveLater(this.supergraph, (error) => failureFrom(error));
  }

  /** Goes on with a new generation of the graph. */
  carryOver(supergraph: Supergraph): void {
    this.supergraph = supergraph;
    this.#moveLater(supergraph, () => SCHEMA_CHANGED);
  }

  deliver(result: StreamedResult): void {
    if (this.#isEnded) return;
    if (this.kind === 'live') {
      if (result.text === this.#lastText) return;
      this.#lastText = result.text;
    }
    this.#sink?.next(result);
    this.#charge(result.objects);
  }

  /** Events are charged to all subscribers, as so many operations as their objects together amount to. */
  #charge(objects: number): void {
    this.#objects += objects;
    const { rateLimiter } = this.#keeper.services();
    if (this.#objects < rateLimiter.objectsPerOperation) return;
    const operations = Math.floor(this.#objects / rateLimiter.objectsPerOperation);
    this.#objects -= operations * rateLimiter.objectsPerOperation;
    const { address } = this.context;
    void Promise.all([
      rateLimiter.countAddress(address, operations),
      rateLimiter.countCaller(this.caller, operations),
    ]).catch((error: unknown) => {
      if (error instanceof RequestError) this.fail(failureFrom(error));
    });
  }

  complete(): void {
    if (this.#end('completed')) this.#sink?.complete();
  }

  fail(failure: StreamFailure): void {
    const errors = errorsOfFailure(failure);
    const code: unknown = errors[0]?.extensions['code'];
    if (!this.#end(typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR')) return;
    this.#sink?.fail(formatErrors(errors, this.context.requestId, this.#keeper.services().errorPolicy));
  }

  onTokenEnd(message: string): void {
    this.fail(failureFrom(rejected('UNAUTHENTICATED', message)));
  }

  /** @returns false when it has ended before */
  #end(outcome: string): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.#keeper.watch.delete(this);
    this.#topic?.leave(this);
    this.#release();
    this.#keeper.ended(this, outcome);
    return true;
  }

  /** One move after the other. */
  #moveLater(supergraph: Supergraph, failure: (error: unknown) => StreamFailure): void {
    this.#moves = this.#moves
      .then(() => this.#move(supergraph))
      .catch((error: unknown) => this.fail(failure(error)));
  }

  async #move(supergraph: Supergraph): Promise<void> {
    if (this.#isEnded) return;
    const admitted = this.#keeper.readmit(this.#admitted, supergraph, this.caller);
    const findTopic = await this.#keeper.topicOf(admitted, this.context, this.#id);
    if (this.#isEnded) return;
    if (this.#topic) await this.#moveTo(findTopic());
    else this.#findTopic = findTopic; // it has not started
    this.#admitted = { ...admitted, caller: this.caller };
  }

  /** Another source is listened to before the one until now is left. */
  async #moveTo(topic: Topic): Promise<void> {
    const current = this.#topic;
    if (!current || topic === current) return;
    const placeholder = { ...PLACEHOLDER };
    if (!topic.source.isSameAs(current.source)) {
      topic.join(placeholder);
      await bothIdle(current, topic);
    }
    if (!this.#isEnded && !topic.isEnded) {
      this.#topic = topic;
      topic.adopt(this, current);
    }
    topic.leave(placeholder);
    if (topic.isEnded) this.fail(INTERRUPTED);
  }
}

/** What is known of a stream when it is opened. */
export interface OpenedStream {
  readonly admitted: AdmittedOperation;
  readonly context: StreamContext;
  readonly kind: StreamKind;
  /** Unique among the streams of the process. */
  readonly id: string;
}

const SCHEMA_CHANGED: StreamFailure = {
  kind: 'errors',
  errors: rejected('SCHEMA_CHANGED', gatewayErrorCodes.SCHEMA_CHANGED.summary).errors,
};
const INTERRUPTED: StreamFailure = {
  kind: 'errors',
  errors: rejected('SUBSCRIPTION_INTERRUPTED', gatewayErrorCodes.SUBSCRIPTION_INTERRUPTED.summary).errors,
};

const CHECK_MS = 50;
const IDLE_WINDOW_MS = 150;
const MAX_WAIT_MS = 5_000;

/**
 * Waits for a moment at which both topics have sent the same: the new one has begun, and nothing has come for a while on
 * either. Where events never pause, some may be sent twice or not at all in the moment of the change.
 */
async function bothIdle(from: Topic, to: Topic): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS;
  let establishedAt: number | undefined;
  while (Date.now() < deadline && !to.isEnded) {
    if (to.source.isEstablished()) establishedAt ??= Date.now();
    const isSettled = establishedAt !== undefined && Date.now() - establishedAt >= IDLE_WINDOW_MS;
    if (isSettled && from.idleMs >= IDLE_WINDOW_MS && to.idleMs >= IDLE_WINDOW_MS) return;
    await pause(CHECK_MS);
  }
}

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import type { Caller } from '../identity/caller.ts';
import type { SubgraphConnections } from '../subgraphs/connections/subgraph-connections.ts';
import type { RevokedTokens } from '../identity/revocation.ts';
import type { RequestContext } from '../request/context.ts';
import { rejected, RequestError } from '../errors.ts';
import { liveQueryIntervalMs, LiveQuerySource } from './live-query-source.ts';
import { CallerPlanningAccount, prepareAgain } from '../pipeline/prepare-request.ts';
import { enforceSubgraphRequests } from '../operation/limits/enforce-limits.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import type { OperationStreams, ResultStream } from '../pipeline/result-stream.ts';
import type { SharedOperation, StreamContext } from '../pipeline/stream-runs.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { operationOf } from '../plan/fetch-fields.ts';
import type { Plan } from '../plan/plan.ts';
import { ownVariable } from '../operation/document/decided-conditions.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { SupergraphStore } from '../supergraph/supergraph-store.ts';
import { CallbackSubscriptions } from './callback-subscriptions.ts';
import { CallerWatch, type HoldUser } from './caller-watch.ts';
import { ClientStream, type StreamKeeper } from './client-stream.ts';
import type { StreamKind, StreamObserver } from './stream-observer.ts';
import { StreamKeys, type PlannedOperation, type StreamKey } from './stream-keys.ts';
import { StreamQuota } from './stream-quota.ts';
import type { SettingsInForce } from '../settings/settings.ts';
import { type SubgraphSocketOptions, UpstreamTransports } from './upstream-transports.ts';
import { SubscriptionSource, Topic, type TopicSource } from './topic.ts';
import { Upstreams, type UpstreamRequest } from './upstream-stream.ts';
import { traceHeadersOf } from './trace-headers.ts';
import { upstreamTarget } from './upstream-transport.ts';

/** Settings of {@link createOpenStreams}. */
export interface OpenStreamsOptions extends SubgraphSocketOptions {
  readonly supergraphs: SupergraphStore;
  /** Those of the configuration that is in force now. */
  readonly services: () => PipelineServices;
  readonly settings: () => Pick<SettingsInForce, 'subscriptions' | 'live' | 'timeouts'>;
  readonly connections: Pick<SubgraphConnections, 'of'>;
  readonly revokedTokens: RevokedTokens;
  /** Called for users who have a connection or a stream open. */
  readonly holdUser: HoldUser;
  readonly observer: StreamObserver;
}

/** All streams of a process. */
export interface OpenStreams extends OperationStreams {
  /** Ends what else runs in the name of a token when that ends. */
  readonly watch: CallerWatch;
  /** Takes what subgraphs send by callbacks. */
  readonly callbacks: CallbackSubscriptions;
  /** Ends all of them with SHUTTING_DOWN. */
  drain(): void;
  close(): Promise<void>;
}

/** Keeps the streams of a process: shares their sources, and carries them over to each new generation of the graph. */
export function createOpenStreams(options: OpenStreamsOptions): OpenStreams {
  return new Streams(options);
}

/** Streams that are let in again between two turns of the event loop. */
const CARRIED_AT_ONCE = 50;

class Streams implements OpenStreams, StreamKeeper {
  readonly watch: CallerWatch;
  readonly callbacks: CallbackSubscriptions;
  readonly #options: OpenStreamsOptions;
  readonly #streams = new Set<ClientStream>();
  readonly #topics = new Map<string, Topic>();
  readonly #transports: UpstreamTransports;
  readonly #upstreams: Upstreams;
  readonly #quota = new StreamQuota();
  readonly #keys = new StreamKeys();
  readonly #closing = new AbortController();
  readonly #stopFollowing: () => void;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
    setMaxListeners(0, this.#closing.signal); // every plan that is waited for listens
    this.watch = new CallerWatch(
      options.revokedTokens,
      options.holdUser,
      () => options.services().authenticator.keys,
    );
    this.callbacks = new CallbackSubscriptions(() => options.settings().subscriptions.callback?.publicUrl);
    this.#transports = new UpstreamTransports(options, this.callbacks);
    this.#upstreams = new Upstreams(this.#transports, options.observer);
    this.#stopFollowing = options.supergraphs.onChange(() => void this.#carryOver());
  }

  services(): PipelineServices {
    return this.#options.services();
  }

  async open(admitted: AdmittedOperation, request: RequestContext): Promise<ResultStream> {
    const kind = kindOf(admitted);
    const release = this.#quota.take(kind, admitted.caller, request.address, this.#options.settings());
    try {
      const id = randomUUID();
      const { requestId, headers, software, address } = request;
      const opened = this.services().tracer?.current();
      const context = { requestId, headers, software, address, opened };
      const findTopic = await this.topicOf(admitted, context, id);
      const stream = new ClientStream({ admitted, context, kind, id }, findTopic, this, release);
      this.#streams.add(stream);
      this.#options.observer.opened(kind);
      // Its generation may have been replaced while it was planned.
      if (!this.#options.supergraphs.serves(stream.supergraph))
        stream.carryOver(await this.#generationFor(stream));
      return stream;
    } catch (error) {
      release();
      throw error;
    }
  }

  readmit(admitted: AdmittedOperation, supergraph: Supergraph, caller: Caller): AdmittedOperation {
    return prepareAgain(admitted, supergraph, caller, this.services());
  }

  async topicOf(admitted: AdmittedOperation, context: StreamContext, streamId: string): Promise<() => Topic> {
    const { supergraph, operation, decided, denied } = admitted;
    const account = new CallerPlanningAccount(admitted.caller, context.address, this.services());
    const plan = await this.services().planner.planOperation(
      { supergraph, operation, decided, denied, account },
      this.#closing.signal,
    );
    enforceSubgraphRequests(plan.subgraphRequests, this.services().limits);
    if (operation.kind === 'subscription' && !plan.subscription) throw denialOf(plan);
    return () => this.#findTopic({ admitted, plan, context }, streamId);
  }

  #findTopic(operation: PlannedOperation, streamId: string): Topic {
    const key = this.#keys.of(operation, streamId, this.services().headersForSubgraphs);
    const known = this.#topics.get(key.topic);
    if (known) return known;
    const topic = this.#createTopic(operation, key);
    this.#topics.set(key.topic, topic);
    return topic;
  }

  ended(stream: ClientStream, outcome: string): void {
    this.#streams.delete(stream);
    this.#options.observer.ended(stream.kind, outcome);
  }

  drain(): void {
    const { errors } = rejected('SHUTTING_DOWN', 'The gateway is being stopped.');
    for (const stream of this.#streams) stream.fail({ kind: 'errors', errors });
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    this.drain();
    this.#closing.abort();
    this.watch.close();
    this.#transports.close();
  }

  /** A stream stays on its generation as long as that serves; then its request is routed again. */
  async #carryOver(): Promise<void> {
    const { supergraphs } = this.#options;
    let carried = 0;
    for (const stream of this.#streams) {
      if (!supergraphs.serves(stream.supergraph)) stream.carryOver(await this.#generationFor(stream));
      carried += 1;
      if (carried % CARRIED_AT_ONCE === 0) await nextTurn();
    }
  }

  async #generationFor({ context, caller }: ClientStream): Promise<Supergraph> {
    const { active } = this.services().generations;
    return active ? active.choose(context, caller) : this.#options.supergraphs.current();
  }

  #createTopic(operation: PlannedOperation, key: StreamKey): Topic {
    const kind = kindOf(operation.admitted);
    const execution = {
      ...operation,
      caller: key.asked,
      services: () => this.services(),
      deadlineMs: () => this.#options.settings().timeouts.requestMs,
    };
    const topic: Topic = new Topic({
      source: kind === 'live' ? this.#liveSource(execution) : this.#subscriptionSource(execution, key),
      repeatsLast: kind === 'live',
      onDelivered: (clients) => this.#options.observer.delivered(kind, clients),
      onEnd: () => {
        if (this.#topics.get(key.topic) === topic) this.#topics.delete(key.topic);
      },
    });
    return topic;
  }

  #liveSource(execution: SharedOperation): TopicSource {
    const { operation, variables } = execution.admitted;
    const throttleMs = operation.throttleOf(variables);
    return new LiveQuerySource(execution, () => liveQueryIntervalMs(throttleMs, this.#options.settings()));
  }

  #subscriptionSource(execution: SharedOperation, key: StreamKey): TopicSource {
    const { subscription } = execution.plan;
    if (!subscription) throw denialOf(execution.plan);
    const upstream = this.#upstreams.streamOf(this.#upstreamRequest(execution, key));
    return new SubscriptionSource(execution, subscription, upstream);
  }

  #upstreamRequest(execution: SharedOperation, { shared, lastEventId }: StreamKey): UpstreamRequest {
    const { plan, admitted, context, caller } = execution;
    const { subscription, supergraph } = plan;
    if (!subscription) throw denialOf(plan);
    const { subscriptions } = this.#options.settings();
    const { subgraph, variableNames } = subscription.primary;
    const endpoint = supergraph.subgraphs.get(subgraph) ?? { name: subgraph, url: '' };
    const address = upstreamTarget(endpoint, subscriptions);
    const services = this.services();
    const connections = this.#options.connections.of(subgraph);
    const fixedHeaders = services.headersForSubgraphs.fixedFor(subgraph);
    const query = operationOf(subscription.primary);
    const variables = picked(admitted.variables, variableNames);
    return {
      ...address,
      connections,
      fixedHeaders,
      key: JSON.stringify([address, connections.id, fixedHeaders, query, variables, shared]),
      query,
      operationName: subscription.operationName,
      variables,
      lastEventId,
      afterGap: () => this.#options.settings().subscriptions.afterGap,
      breaker: () => this.services().breakerOf(subgraph, endpoint.url),
      headers: async () => ({
        ...(await this.services().headersForSubgraphs.of(context, caller)(subgraph)),
        ...traceHeadersOf(context.opened),
      }),
    };
  }
}

function kindOf({ operation }: AdmittedOperation): StreamKind {
  return operation.kind === 'subscription' ? 'subscription' : 'live';
}

function picked(
  variables: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const values = names.map((name) => [name, ownVariable(variables, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** A subscription that asks no subgraph: its field is denied to the caller, or left out by a condition. */
function denialOf({ shape }: Plan): Error {
  const root = shape.onlyType === undefined ? undefined : shape.of(shape.onlyType);
  const denial = root?.fields.find((field) => field.denial)?.denial;
  if (denial) return rejectedWith(denial.code, denial.message);
  return rejected(
    'GRAPHQL_VALIDATION_FAILED',
    'The subscription leaves out the field that it subscribes to.',
  );
}

function rejectedWith(code: string, message: string): RequestError {
  return new RequestError([new GraphQLError(message, { extensions: { code } })]);
}

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Operation } from '../operations.ts';
import { startTarget, type TargetProcess } from '../target-process.ts';
import type { GatewayBuild, MeasuredGraph, Target } from '../targets/index.ts';
import { Audience } from './audience.ts';
import { subscriptionTargets } from './subscription-targets.ts';
import { writeTopicGraph, type Asked, type Counted } from './topic-graph.ts';

/** How many subscribers are measured, and by how many events. */
export interface SubscriberLoad {
  readonly clients: number;
  readonly events: number;
  /** Only targets of these names; empty means all. */
  readonly targets: readonly string[];
  /** How our gateway runs. @default compiled */
  readonly build?: GatewayBuild;
  /** Where progress is told. */
  readonly tell: (line: string) => void;
}

/** What so many subscribers of one topic cost a gateway. */
export interface SubscriberCost {
  readonly target: string;
  /** Subscriptions that the gateway has opened at the subgraph. */
  readonly upstreamSubscriptions: number;
  readonly fetchesPerEvent: number;
  /** Processor time of the gateway for each result that reached a client, in microseconds. */
  readonly microsecondsPerDelivery: number;
  /** Resident memory of the gateway for each connection with its subscription, in KB. */
  readonly kilobytesPerClient: number;
  /** From the publication of an event until the last client had it, milliseconds, the median. */
  readonly lastDeliveryMs: number;
}

/** Connections before the measured ones: what is made once for all is there. */
const FIRST_CLIENTS = 50;
/** Events before the measured ones: code is compiled, and buffers have grown. */
const WARM_UP = 30;
/** What every gateway answers once it serves. */
const PROBE: Operation = { operationName: 'Probe', query: 'query Probe { __typename }' };
/** How long clients may take to hear of an event before it is taken for missed: by those not subscribed yet, by all others. */
const PROBE_MS = 2_000;
const MAX_PROBES = 15;
const EVENT_MS = 60_000;

/**
 * Measures subscribers of one topic over WebSocket, each event joined with an entity of another subgraph; one gateway
 * after the other. A peer that does not start, or does not deliver, is named and left out; ours has to.
 */
export async function measureSubscribers(load: SubscriberLoad): Promise<readonly SubscriberCost[]> {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-subscribers-'));
  const costs: SubscriberCost[] = [];
  try {
    for (const target of subscriptionTargets(load.build ?? 'compiled')) {
      if (load.targets.length > 0 && !load.targets.includes(target.name)) continue;
      try {
        costs.push(await measureTarget(target, join(directory, 'supergraph.graphql'), load));
        load.tell(`measured ${target.name}`);
      } catch (error) {
        if (target.name === 'trellis') throw error;
        load.tell(`left out ${target.name}: ${String(error)}`);
      }
    }
    return costs;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Each has subgraphs of its own: what one leaves behind is not counted for the next. */
async function measureTarget(
  target: Target,
  supergraphFile: string,
  load: SubscriberLoad,
): Promise<SubscriberCost> {
  const { graph, topic } = await startTopic(supergraphFile);
  try {
    const running = await startTarget(target, graph, PROBE);
    try {
      return await measure(running, topic, load);
    } finally {
      await running.stop();
    }
  } finally {
    topic.stop();
  }
}

async function measure(
  target: TargetProcess,
  topic: TopicProcess,
  { clients, events }: SubscriberLoad,
): Promise<SubscriberCost> {
  const audience = new Audience(target.url.replace('http', 'ws'));
  try {
    return await measureAudience(audience, target, topic, { clients, events });
  } finally {
    audience.leave();
  }
}

async function measureAudience(
  audience: Audience,
  target: TargetProcess,
  topic: TopicProcess,
  { clients, events }: Pick<SubscriberLoad, 'clients' | 'events'>,
): Promise<SubscriberCost> {
  await audience.join(FIRST_CLIENTS);
  await untilAllHear(topic, audience);
  await publish(topic, audience, WARM_UP);
  const residentBefore = target.residentBytes();
  await audience.join(clients - FIRST_CLIENTS);
  await untilAllHear(topic, audience);
  const kilobytesPerClient = (target.residentBytes() - residentBefore) / (clients - FIRST_CLIENTS) / 1_024;
  await publish(topic, audience, WARM_UP);
  const before = await topic.count();
  const cpuBefore = target.processorTimeMs();
  const latenciesMs = await publish(topic, audience, events);
  const cpuMs = target.processorTimeMs() - cpuBefore;
  const after = await topic.count();
  return {
    target: target.name,
    upstreamSubscriptions: after.subscriptions,
    fetchesPerEvent: (after.fetches - before.fetches) / events,
    microsecondsPerDelivery: (cpuMs * 1_000) / (events * audience.size),
    kilobytesPerClient,
    lastDeliveryMs: latenciesMs.toSorted((a, b) => a - b)[Math.floor(events / 2)] ?? 0,
  };
}

/** The protocol acknowledges no subscription: events are published until every client hears them. */
async function untilAllHear(topic: TopicProcess, audience: Audience): Promise<void> {
  for (let probes = 0; probes < MAX_PROBES; probes += 1) {
    if (await audience.got(topic.publish(), PROBE_MS)) return;
  }
  throw new Error('Not all clients hear what is published.');
}

/** Publishes one event after the other, each when the last client has the one before. @returns milliseconds of each */
async function publish(topic: TopicProcess, audience: Audience, events: number): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let sent = 0; sent < events; sent += 1) {
    const beganAt = performance.now();
    if (!(await audience.got(topic.publish(), EVENT_MS))) throw new Error('Not all clients got an event.');
    latenciesMs.push(performance.now() - beganAt);
  }
  return latenciesMs;
}

interface StartedTopic {
  readonly graph: MeasuredGraph;
  readonly topic: TopicProcess;
}

async function startTopic(supergraphFile: string): Promise<StartedTopic> {
  const program = fileURLToPath(new URL('topic-process.ts', import.meta.url));
  const child = fork(program, { execArgv: ['--conditions=trellis-source', '--import', 'tsx'] });
  const [{ urls }] = (await once(child, 'message')) as [{ urls: { topic: string; authors: string } }]; // it is the first
  writeTopicGraph(supergraphFile, urls);
  return { graph: { supergraphFile, subgraphUrls: urls }, topic: new TopicProcess(child) };
}

/** The subgraphs of the topic, in a process of their own. */
class TopicProcess {
  readonly #child: ChildProcess;
  #published = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @returns the number of the event */
  publish(): number {
    const number = this.#published;
    this.#published += 1;
    this.#ask({ kind: 'publish', number });
    return number;
  }

  async count(): Promise<Counted> {
    this.#ask({ kind: 'count' });
    const [counted] = (await once(this.#child, 'message')) as [Counted]; // it answers nothing else
    return counted;
  }

  stop(): void {
    this.#child.kill();
  }

  #ask(asked: Asked): void {
    this.#child.send(asked);
  }
}

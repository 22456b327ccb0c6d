import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTarget, type TargetProcess } from '../target-process.ts';
import type { GatewayBuild, Target } from '../targets/index.ts';
import { Audience } from './audience.ts';
import { subscriptionTargets } from './subscription-targets.ts';
import { publish, startTopic, TOPIC_PROBE, untilAllHear, type TopicProcess } from './started-topic.ts';

/** How many subscribers are measured, and by how many events. */
export interface SubscriberLoad {
  readonly clients: number;
  readonly events: number;
  /** Only targets of these names; empty means all. */
  readonly targets: readonly string[];
  /** How our gateway runs. @default compiled */
  readonly build?: GatewayBuild;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
  /** Shows what is measured from now on. */
  readonly begin?: (name: string) => void;
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

/** Connections before the measured ones: what is made once for all exists. */
const FIRST_CLIENTS = 50;
/** Events before the measured ones: code is compiled, and buffers have grown. */
const WARM_UP = 30;

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
      load.begin?.(`subscribers of ${target.name}`);
      try {
        costs.push(await measureTarget(target, join(directory, 'supergraph.graphql'), load));
        load.print(`measured ${target.name}`);
      } catch (error) {
        if (target.name === 'trellis') throw error;
        load.print(`left out ${target.name}: ${String(error)}`);
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
    const running = await startTarget(target, graph, TOPIC_PROBE);
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

import { Audience } from '../subscribers/audience.ts';
import { publish, startTopic, TOPIC_PROBE, untilAllHear } from '../subscribers/started-topic.ts';
import { startTarget } from '../target-process.ts';
import type { Target } from '../targets/index.ts';
import type { PairedSide } from './paired-work.ts';

/** Clients of one topic. */
const CLIENTS = 300;
/** Events in a row. */
const EVENTS = 20;

/** A gateway with its subscribers, until it is stopped. */
export interface SubscribedSide extends PairedSide {
  readonly stop: () => Promise<void>;
}

/**
 * Starts a gateway with clients that subscribe to one topic over WebSocket, each event joined with an entity of another subgraph. A
 * unit of its work is the delivery of an event to a client.
 */
export async function startSubscribedSide(target: Target, supergraphFile: string): Promise<SubscribedSide> {
  const { graph, topic } = await startTopic(supergraphFile);
  const running = await startTarget(target, graph, TOPIC_PROBE);
  const audience = new Audience(running.url.replace('http', 'ws'));
  await audience.join(CLIENTS);
  await untilAllHear(topic, audience);
  return {
    target: running,
    async perform() {
      await publish(topic, audience, EVENTS);
      return EVENTS * audience.size;
    },
    async stop() {
      audience.leave();
      await running.stop();
      topic.stop();
    },
  };
}

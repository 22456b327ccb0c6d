import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Operation } from '../operations.ts';
import type { MeasuredGraph } from '../targets/index.ts';
import type { Audience } from './audience.ts';
import { writeTopicGraph, type Asked, type Counted } from './topic-graph.ts';

/** What every gateway answers once it serves the topic's graph. */
export const TOPIC_PROBE: Operation = { operationName: 'Probe', query: 'query Probe { __typename }' };
/** How long clients may take to hear of an event before it is taken for missed: by those not subscribed yet, by all others. */
const PROBE_MS = 2_000;
const MAX_PROBES = 15;
const EVENT_MS = 60_000;

/** The subgraphs of the topic, and the graph that they make. */
export interface StartedTopic {
  readonly graph: MeasuredGraph;
  readonly topic: TopicProcess;
}

/** Starts the subgraphs, and writes the supergraph to the file. */
export async function startTopic(supergraphFile: string): Promise<StartedTopic> {
  const program = fileURLToPath(new URL('topic-process.ts', import.meta.url));
  const child = fork(program, { execArgv: ['--conditions=trellis-source', '--import', 'tsx'] });
  const [{ urls }] = (await once(child, 'message')) as [{ urls: { topic: string; authors: string } }]; // it is the first
  writeTopicGraph(supergraphFile, urls);
  return { graph: { supergraphFile, subgraphUrls: urls }, topic: new TopicProcess(child) };
}

/** The subgraphs of the topic, in a process of their own. Ended by {@link TopicProcess.stop}. */
export class TopicProcess {
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

/** The protocol acknowledges no subscription: events are published until every client hears them. @throws Error when they do not */
export async function untilAllHear(topic: TopicProcess, audience: Audience): Promise<void> {
  for (let probes = 0; probes < MAX_PROBES; probes += 1) {
    if (await audience.got(topic.publish(), PROBE_MS)) return;
  }
  throw new Error('Not all clients hear what is published.');
}

/**
 * Publishes one event after the other, each when the last client has the one before.
 *
 * @returns milliseconds of each
 * @throws Error when clients did not get one
 */
export async function publish(topic: TopicProcess, audience: Audience, events: number): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let sent = 0; sent < events; sent += 1) {
    const beganAt = performance.now();
    if (!(await audience.got(topic.publish(), EVENT_MS))) throw new Error('Not all clients got an event.');
    latenciesMs.push(performance.now() - beganAt);
  }
  return latenciesMs;
}

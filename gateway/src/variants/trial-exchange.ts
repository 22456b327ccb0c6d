import type { RedisConnection } from '@trellis/redis';
import type { OutageLog } from '@trellis/runtime/outage-log';
import { z } from 'zod';
import type { TrialEvent } from './canary-trial.ts';

/** What processes that serve the same canary say to one another. */
export interface TrialMessage {
  readonly variant: string;
  /** Digest of its release. */
  readonly release: string;
  /** What callers have met; those of one second. */
  readonly events: readonly TrialEvent[];
  /** The sender has stopped the canary. */
  readonly isStopped: boolean;
}

/** Carries messages between processes. What is lost is lost: each process judges what it knows. */
export interface TrialExchange {
  send(message: TrialMessage): void;
  close(): void;
}

/** Takes the messages of others. */
export type TrialListener = (message: TrialMessage) => void;

const MAX_MESSAGE_CHARACTERS = 131_072;

const event = z.tuple([
  z.enum(['failed', 'slow']),
  z.enum(['main', 'canary']),
  z.int().min(0),
  z.int().min(0),
]);
const trialMessage: z.ZodType<TrialMessage> = z.object({
  variant: z.string(),
  release: z.string(),
  events: z.array(event).max(1_000),
  isStopped: z.boolean(),
});

/** Each message with the process that has sent it, as what is published comes back, and the log that names the canary. */
const envelope = z.object({ from: z.string(), log: z.string(), message: trialMessage });

/** Two connections: one that subscribes can do nothing else. The exchange ends both. */
export interface ExchangeConnections {
  readonly publisher: RedisConnection;
  readonly subscriber: RedisConnection;
  /** Reports that others learn nothing, or that this process learns nothing of them. The next message is sent all the same. */
  readonly failures: OutageLog;
}

/**
 * Exchanges messages through Redis, with all gateways that use it for the same graph.
 *
 * @param log `graph@environment`
 * @param self names this process
 */
export function exchangeThroughRedis(
  { publisher, subscriber, failures }: ExchangeConnections,
  log: string,
  self: string,
  listener: TrialListener,
): TrialExchange {
  const channel = `trellis:canary:${log}`;
  subscriber.on('message', (_channel: string, text: string) => {
    take(text, log, self, listener);
  });
  const failed = (error: unknown): void => failures.failed(error);
  const subscribe = (): void => void subscriber.subscribe(channel).catch(failed); // the next connection tries again
  subscriber.on('ready', subscribe);
  if (subscriber.status === 'ready') subscribe();
  return {
    send: (message) =>
      void publisher
        .publish(channel, JSON.stringify({ from: self, log, message }))
        .then(() => failures.succeeded(), failed),
    close() {
      subscriber.disconnect();
      publisher.disconnect();
    },
  };
}

/** What a process says to its primary process, which passes it to the other workers. */
export interface RelayedTrial {
  readonly kind: 'canary';
  readonly text: string;
}

/**
 * Exchanges messages with the other workers of the same primary process. Where a reload failed in one of them, they follow different logs.
 *
 * @param log `graph@environment`
 * @param self names this process
 */
export function exchangeThroughPrimary(log: string, self: string, listener: TrialListener): TrialExchange {
  const onMessage = (relayed: unknown): void => {
    if (isRelayed(relayed)) take(relayed.text, log, self, listener);
  };
  process.on('message', onMessage);
  return {
    send(message) {
      const relayed: RelayedTrial = { kind: 'canary', text: JSON.stringify({ from: self, log, message }) };
      process.send?.(relayed);
    },
    close: () => void process.off('message', onMessage),
  };
}

/** Whether a message between processes is one of these. */
export function isRelayed(message: unknown): message is RelayedTrial {
  if (typeof message !== 'object' || message === null || !('kind' in message) || !('text' in message))
    return false;
  return message.kind === 'canary' && typeof message.text === 'string';
}

/** What this process has sent, or what is about another log, is not for it. */
function take(text: string, log: string, self: string, listener: TrialListener): void {
  const parsed = readEnvelope(text);
  if (parsed && parsed.from !== self && parsed.log === log) listener(parsed.message);
}

function readEnvelope(text: string): z.infer<typeof envelope> | undefined {
  if (text.length > MAX_MESSAGE_CHARACTERS) return undefined;
  try {
    return envelope.parse(JSON.parse(text));
  } catch {
    return undefined; // of another version
  }
}

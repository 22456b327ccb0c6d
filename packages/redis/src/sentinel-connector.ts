import type { Socket } from 'node:net';
import { SentinelConnector as FailoverConnector, type SentinelConnectionOptions } from 'ioredis';

/**
 * Finds the master by the Sentinels, and leaves it as soon as one of them says that there is another. Nothing that a Sentinel
 * says ends an attempt to connect, which asks the Sentinels itself: the client would take that for its own end, and never
 * connect again.
 */
export class SentinelConnector extends FailoverConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions); // as the client, which makes it, promises
  }

  override connect(
    ...args: Parameters<FailoverConnector['connect']>
  ): ReturnType<FailoverConnector['connect']> {
    // What listens for the failover of the master that was lost. The client begins another when a connection is open.
    const detector = this['failoverDetector'] as { cleanup(): void } | null;
    detector?.cleanup();
    this['failoverDetector'] = null;
    return super.connect(...args);
  }

  override disconnect(): void {
    // What is open later would subscribe to the Sentinels, for ever: nothing would end those subscriptions.
    const stream = this.stream as Socket | undefined; // there is none before the first Sentinel has responded
    if (this['failoverDetector'] === null) stream?.destroy();
    super.disconnect();
  }
}

import { Cluster, type ClusterNode, type ClusterOptions } from 'ioredis';

/** Settings of a {@link BoundedCluster}. */
export type BoundedClusterOptions = Pick<ClusterOptions, 'dnsLookup'> & {
  readonly redisOptions: Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;
};

/** A cluster whose commands fail at their time-out while it is unavailable, too; the client's own wait for it without end. */
export class BoundedCluster extends Cluster {
  readonly #commandTimeoutMs: number;

  constructor(nodes: ClusterNode[], options: BoundedClusterOptions, commandTimeoutMs: number) {
    super(nodes, options);
    this.#commandTimeoutMs = commandTimeoutMs;
  }

  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    args[0].setTimeout(this.#commandTimeoutMs);
    return super.sendCommand(...args);
  }
}

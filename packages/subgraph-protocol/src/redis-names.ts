/**
 * Where programs meet in Redis, each name once. They are part of the protocol: operators allow them in ACLs, and subgraphs in other
 * languages write to them.
 */
export const redisNames = {
  /** Sorted set of revoked grants and holders, and the channel that names new ones: the auth-server publishes, gateways follow. */
  revocations: 'revocations',
  /** Stream of changed entities: subgraphs append, gateways drop the responses they cached of them. docs/response-cache.md */
  invalidations: 'response-cache:invalidations',
  /** Stream of users who have been seen: gateways append, the users subgraph follows. */
  activity: 'trellis:{activity}:stream',
} as const;

/** The stream of a service's events. Its hash tag keeps it on one node of a cluster with the service's other keys. */
export function eventStreamName(service: string): string {
  return eventKey(service, 'stream');
}

/** A key beside the stream of a service's events, on the same node. */
export function eventKey(service: string, name: string): string {
  return `trellis:{events:${service}}:${name}`;
}

import { own } from '@trellis/runtime/own-property';
import type { PublishedRelease, RegistryRecord, RoutingOverride, SubgraphRouting } from '@trellis/registry';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';
import type { SubscriptionAddress, SubscriptionTransport, Supergraph } from '../supergraph/supergraph.ts';

/** Where the subgraphs of a release are asked, and subscribed to. */
export interface ReleaseAddresses {
  /** By the subgraph's name. */
  readonly subgraphUrls: Readonly<Record<string, string>>;
  readonly subscriptions: Readonly<Record<string, SubscriptionAddress>>;
}

/**
 * The addresses of a release. What an environment or this gateway says of an address holds for the address of the main release: a
 * variant whose release has another one for a subgraph is asked there.
 *
 * @param main the release of the main version
 * @param subgraphUrls addresses of this gateway, which replace all others
 * @throws InvalidSupergraph for a transport of subscriptions that is not known
 */
export function releaseAddresses(
  release: PublishedRelease,
  main: PublishedRelease,
  { routing }: RegistryRecord,
  subgraphUrls: Readonly<Record<string, string>>,
): ReleaseAddresses {
  const usual = new Map(main.subgraphs.map((subgraph) => [subgraph.name, subgraph.routing.url]));
  const moved = new Map(routing.map((override) => [override.subgraph, override]));
  const all = release.subgraphs.map(({ name, routing: published }) => {
    const isUsual = (usual.get(name) ?? published.url) === published.url;
    const override = isUsual ? moved.get(name) : undefined;
    const local = isUsual ? own(subgraphUrls, name) : undefined;
    return [name, routingOf(published, override, local)] as const;
  });
  const subscriptions = all.flatMap(([name, routed]) => {
    const subscription = subscriptionOf(name, routed);
    return subscription ? [[name, subscription] as const] : [];
  });
  return {
    subgraphUrls: Object.fromEntries(all.map(([name, { url }]) => [name, url])),
    subscriptions: Object.fromEntries(subscriptions),
  };
}

/** A record that moves a subgraph and says nothing of its subscriptions moves them too. */
function routingOf(
  published: SubgraphRouting,
  override: RoutingOverride | undefined,
  local: string | undefined,
): SubgraphRouting {
  const subscriptionProtocol = override?.subscriptionProtocol ?? published.subscriptionProtocol;
  if (local !== undefined) return { url: local, subscriptionProtocol };
  const isMoved = override?.url !== undefined;
  const subscriptionUrl = override?.subscriptionUrl ?? (isMoved ? undefined : published.subscriptionUrl);
  return { url: override?.url ?? published.url, subscriptionUrl, subscriptionProtocol };
}

const TRANSPORTS: Readonly<Record<string, SubscriptionTransport>> = {
  auto: 'auto',
  'graphql-ws': 'websocket',
  websocket: 'websocket',
  sse: 'sse',
  multipart: 'multipart',
  callback: 'callback',
};

function subscriptionOf(
  subgraph: string,
  { subscriptionUrl: url, subscriptionProtocol: protocol }: SubgraphRouting,
): SubscriptionAddress | undefined {
  if (url === undefined && protocol === undefined) return undefined;
  const transport = protocol === undefined ? undefined : own(TRANSPORTS, protocol);
  if (protocol !== undefined && transport === undefined)
    throw new InvalidSupergraph(
      `${subgraph} is subscribed to by ${JSON.stringify(protocol)}; known are ${Object.keys(TRANSPORTS).join(', ')}.`,
    );
  return { ...(url !== undefined && { url }), ...(transport && { transport }) };
}

/** Whether a generation asks and subscribes to its subgraphs there. */
export function isAt({ subgraphs }: Supergraph, { subgraphUrls, subscriptions }: ReleaseAddresses): boolean {
  return [...subgraphs.values()].every(({ name, url, subscription }) => {
    const next = own(subscriptions, name);
    return (
      (own(subgraphUrls, name) ?? url) === url &&
      next?.url === subscription?.url &&
      next?.transport === subscription?.transport
    );
  });
}

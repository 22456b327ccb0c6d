import type { GatewayConfig } from './config.ts';

/**
 * Names of subgraphs that the configuration has rules for and the supergraph does not have: each is a mistake in writing, or
 * left over. It is no error, as one configuration may serve supergraphs of several stages.
 *
 * @returns for each the setting and the name, for example `traffic.subgraphs.uesrs`
 */
export function unknownSubgraphs(config: GatewayConfig, known: ReadonlyMap<string, unknown>): string[] {
  const { headers, subgraphConnections, subgraphErrors, subscriptions, traffic } = config.settings;
  const places: readonly (readonly [string, object])[] = [
    ['SUBGRAPH_URLS', config.SUBGRAPH_URLS],
    ['headers.subgraphs', headers?.subgraphs ?? {}],
    ['subgraphConnections.subgraphs', subgraphConnections?.subgraphs ?? {}],
    ['subgraphErrors.subgraphs', subgraphErrors?.subgraphs ?? {}],
    ['subscriptions.subgraphUrls', subscriptions?.subgraphUrls ?? {}],
    ['subscriptions.subgraphs', subscriptions?.subgraphs ?? {}],
    ['traffic.subgraphs', traffic?.subgraphs ?? {}],
  ];
  return places.flatMap(([setting, rules]) =>
    Object.keys(rules)
      .filter((name) => !known.has(name))
      .map((name) => `${setting}.${name}`),
  );
}

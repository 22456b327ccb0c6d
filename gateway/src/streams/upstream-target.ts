import { own } from '../own-property.ts';
import type { SettingsInForce } from '../settings/settings.ts';
import { httpUrl, type UpstreamAddress } from './upstream-transport.ts';

/**
 * Where and how a subgraph is subscribed to. An address of its own says by its scheme what it is for, where the transport is to
 * be found out.
 *
 * @param url for queries
 */
export function upstreamTarget(
  subgraph: string,
  url: string,
  settings: SettingsInForce['subscriptions'],
): UpstreamAddress {
  const special = own(settings.subgraphs, subgraph);
  const configured = own(settings.subgraphUrls, subgraph);
  const transport = special?.transport ?? settings.transport;
  const isWebSocketUrl = configured !== undefined && httpUrl(configured) !== configured;
  return {
    subgraph,
    url: configured ?? url,
    transport: transport === 'auto' && isWebSocketUrl ? 'websocket' : transport,
    isHttpOnly: configured !== undefined && !isWebSocketUrl,
    idleMs: special?.upstreamIdleMs ?? settings.upstreamIdleMs,
  };
}

import type { Environment } from '@trellis/runtime';
import { readSettings } from '../config/read-settings.ts';
import { fillIn } from '../settings/fill-in.ts';
import { settingTable, type GatewaySettings, type SettingsInForce } from '../settings/settings.ts';

/** The settings of a gateway that decide what becomes of an operation, whatever the process. */
export interface OfflineSettings extends Pick<SettingsInForce, 'limits' | 'cost' | 'overridePercents'> {
  readonly policies: SettingsInForce['authorization']['policies'];
  /** How subgraphs are subscribed to, by name; under an empty name all others. */
  readonly transports: ReadonlyMap<string, string>;
}

/**
 * Reads the settings in force from a `gateway.yaml`.
 *
 * @param file absent: the defaults of a configured gateway
 * @throws ConfigError naming every problem at once
 */
export function readOfflineSettings(file: string | undefined, environment: Environment): OfflineSettings {
  const given: GatewaySettings = file === undefined ? {} : readSettings(file, environment).settings;
  const settings = fillIn(settingTable, given, { computed: { introspection: true } });
  const { limits, cost, overridePercents, authorization, subscriptions } = settings;
  return {
    limits,
    cost,
    overridePercents,
    policies: authorization.policies,
    transports: new Map([
      ['', describeTransport(subscriptions.transport, undefined)],
      ...Object.entries(subscriptions.subgraphs).map(
        ([name, { transport = subscriptions.transport }]): [string, string] => [
          name,
          describeTransport(transport, subscriptions.subgraphUrls[name]),
        ],
      ),
    ]),
  };
}

function describeTransport(transport: string, url: string | undefined): string {
  return url === undefined ? transport : `${transport} at ${url}`;
}

import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { ownOf } from '@trellis/runtime/own-property';
import { isProduction } from '@trellis/runtime';
import { defaultQueryPlannerWorkers } from '../planning/threads/planner-pool.ts';
import { fillIn } from '../settings/fill-in.ts';
import { settingTable, type SettingsInForce } from '../settings/settings.ts';
import type { GatewayConfig } from './config.ts';
import { configuredIssuers } from './configured-issuers.ts';
import { documentedSettings } from '../settings/describe-setting.ts';

/** What the environment and the file come to, with every default filled in. */
export interface SettingsInUse extends SettingsInForce {
  readonly production: boolean;
  /** Whose tokens are accepted, in the order of the configuration. */
  readonly issuers: readonly string[];
}

/** Fills in the defaults. */
export function settingsInUse(config: GatewayConfig): SettingsInUse {
  const production = isProduction(config);
  const settings = fillIn(settingTable, config.settings, {
    isBare: !isGuarded(config),
    computed: {
      introspection: !production,
      'extensions.onRequest': !production,
      'pages.enabled': !production,
      'pages.title': 'Trellis',
      'pages.clientId': 'trellis-explorer',
      'pages.examples': config.PAGE_EXAMPLES,
      'pages.errorReference': config.ERROR_REFERENCE,
      'planning.threads': defaultQueryPlannerWorkers(Math.ceil(availableParallelism() / config.WORKERS)),
      'responseCache.redisUrl': config.CACHE_REDIS_URL,
      'telemetry.tracing.endpoint': tracesAt(config.OTEL_EXPORTER_OTLP_ENDPOINT),
    },
  });
  const { headers, pages } = settings;
  const forward = [...config.FORWARD_HEADERS, ...headers.forward];
  const links = { ...withSpaces(config.PAGE_LINKS), ...pages.links };
  return Object.freeze({
    ...settings,
    headers: Object.freeze({ ...headers, forward }),
    pages: Object.freeze({ ...pages, links }),
    production,
    issuers: configuredIssuers(config).map(({ issuer }) => issuer),
  });
}

/** Names in a variable have an underscore where users read a space. */
function withSpaces(links: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(links).map(([name, url]) => [name.replaceAll('_', ' '), url]));
}

/** A configured gateway guards its operations; over a bare supergraph it protects the process alone. */
function isGuarded({ GUARDS, CONFIG, TOKEN_ISSUER }: GatewayConfig): boolean {
  return GUARDS === undefined ? CONFIG !== undefined || TOKEN_ISSUER !== undefined : GUARDS === 'on';
}

function tracesAt(collector: string | undefined): string | undefined {
  return collector === undefined ? undefined : `${collector.replace(/\/$/, '')}/v1/traces`;
}

const KEYS = documentedSettings(settingTable)
  .filter(({ reload }) => reload === 'restart')
  .map(({ key }) => key);

/** The keys of what differs and holds only from the next start. */
export function settingsThatNeedRestart(atStart: SettingsInForce, now: SettingsInForce): readonly string[] {
  return KEYS.filter((key) => !isDeepStrictEqual(valueAt(atStart, key), valueAt(now, key)));
}

/** What goes with an address at which the process does not listen yet stays as at the start: subgraphs would send to where no one is. */
export function heldUntilRestart(atStart: SettingsInUse, now: SettingsInUse): SettingsInUse {
  const { callback: first } = atStart.subscriptions;
  const { callback } = now.subscriptions;
  if (!first || !callback || first.listen === callback.listen) return now;
  return Object.freeze({ ...now, subscriptions: { ...now.subscriptions, callback: first } });
}

/** Of a group that is off, none. */
function valueAt(settings: object, key: string): unknown {
  return key.split('.').reduce<unknown>(ownOf, settings);
}

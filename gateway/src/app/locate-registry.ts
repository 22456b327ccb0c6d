import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  openRegistry,
  parseLogName,
  registryAuthorization,
  TrustedKeys,
  type Authorize,
} from '@trellis/registry';
import type { Logger } from '@trellis/runtime';
import { failInWords } from '@trellis/runtime/file-failure';
import type { GatewayConfig } from '../config/config.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { GraphMetrics } from '../observability/graph-metrics.ts';
import type { RegistryMetrics } from '../observability/registry-metrics.ts';
import type { OperationCache } from '../operation/operation-cache.ts';
import type { FollowOptions } from '../registry/follow-options.ts';
import type { Supergraph, SupergraphText } from '../supergraph/supergraph.ts';
import { NO_PREVIEW_TOKENS, readPreviewTokens, type PreviewTokens } from '../variants/preview-tokens.ts';

/** What supergraphs are opened with, wherever they come from. */
export interface SupergraphParts {
  readonly config: GatewayConfig;
  readonly inUse: () => SettingsInUse;
  readonly logger: Logger;
  readonly metrics: GraphMetrics;
  readonly registryMetrics: RegistryMetrics;
  readonly operationCacheOf: (supergraph: Supergraph) => OperationCache;
  /** Prepares a generation before it serves. */
  readonly prepare: (next: SupergraphText) => () => void;
  /** For one that follows: plans what is known for the next supergraph that it is about to serve. */
  readonly openWarmUp: () => (next: Supergraph) => Promise<void>;
  /** A generation that was prepared no longer serves. */
  readonly retire: (retired: Supergraph) => void;
}

/** Which registry is followed, and what is trusted of it: another one takes another follower. */
export interface RegistryTo {
  /** A folder's path is absolute, as all here are. */
  readonly source: string;
  readonly graph: string;
  readonly contract: string | undefined;
  /** The text of a JWK set. */
  readonly trust: string;
  readonly directory: string | undefined;
}

/** What a registry is read with. */
export type LocatedRegistry = Pick<FollowOptions, 'store' | 'log' | 'contract' | 'trust' | 'directory'>;

/** Reads which registry gateway.yaml names. @throws Error where the file of its keys can't be read */
export async function registryTo(config: GatewayConfig, { registry }: SettingsInUse): Promise<RegistryTo> {
  const { source = '', graph = '', contract, trust = '', directory } = registry; // the configuration was checked
  const trustFile = besideFile(config, trust);
  return {
    source: source.includes('://') ? source : besideFile(config, source),
    graph,
    contract,
    trust: await readFile(trustFile, 'utf8').catch((error: unknown) => failInWords(error, trustFile)),
    directory: directory === undefined ? undefined : besideFile(config, directory),
  };
}

/** Reads the keys of preview tokens. @throws Error where the file can't be read, or has no keys */
export function previewTokensOf(config: GatewayConfig, { registry }: SettingsInUse): PreviewTokens {
  const { previewKeys, graph = '' } = registry;
  if (previewKeys === undefined) return NO_PREVIEW_TOKENS;
  return readPreviewTokens(besideFile(config, previewKeys), graph);
}

/**
 * Opens a registry, which is not read yet.
 *
 * @param config that of the start
 * @throws Error where keys or addresses are not what they should be, or the credentials of the environment are for another server
 */
export async function locateRegistry(
  { source, graph, contract, trust, directory }: RegistryTo,
  config: GatewayConfig,
): Promise<LocatedRegistry> {
  return {
    store: openRegistry(source, { authorize: authorizationFor(source, config) }),
    log: parseLogName(graph),
    contract,
    trust: await TrustedKeys.parse(trust),
    directory,
  };
}

/** A file that changes must not send the secrets of the environment elsewhere: they are for the server that it named at the start. */
function authorizationFor(source: string, config: GatewayConfig): Authorize | undefined {
  const authorize = registryAuthorization(config);
  const origin = originOf(source);
  if (!authorize || origin === undefined) return undefined;
  if (origin === originOf(config.settings.registry?.source)) return authorize;
  throw new Error(
    `registry.source: TRELLIS_REGISTRY_TOKEN, or the client in TRELLIS_REGISTRY_CLIENT_ID, is for the server that was named at the start; restart the gateway to send it to ${origin}.`,
  );
}

/** Of a registry over HTTP. Git looks up credentials by host, and object stores are sent signatures alone. */
function originOf(source = ''): string | undefined {
  return /^https?:/i.test(source) && URL.canParse(source) ? new URL(source).origin : undefined;
}

function besideFile({ CONFIG = '.' }: GatewayConfig, path: string): string {
  return resolve(dirname(CONFIG), path);
}

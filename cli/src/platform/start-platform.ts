import { fileURLToPath } from 'node:url';
import type { Environment } from '@trellis/runtime';
import { lockDirectory, type DirectoryLock } from '@trellis/dev-stores';
import { addressOf, internalAddressOf } from './addresses.ts';
import { formatBanner } from './banner.ts';
import { servesDocumentation, servesWebApplication } from './conveniences.ts';
import { describePublished, describeUnpublished } from './describe-registry.ts';
import { describeOwnRelease, publishesSubgraphs, type PublishOwnRelease } from './own-release.ts';
import { fillDemoContent } from './fill-demo-content.ts';
import { hostInProcess } from './host-in-process.ts';
import { hostSplit } from './host-split.ts';
import type { Host } from './host.ts';
import { nameOwnGateway } from './name-own-gateway.ts';
import { programs, type Prefix } from '../programs.ts';
import type { PlatformConfig } from './environment-table.ts';
import { readConfiguration } from './platform-configuration.ts';
import {
  pickVariables,
  removePlatformFile,
  sharedAuthServerEnvironment,
  writePlatformFile,
} from './platform-file.ts';
import type { Progress } from '../terminal/index.ts';
import { settlePorts, type Ports } from './ports.ts';
import { loadSecrets } from './secrets.ts';
import { describeEnvironments, issuerOf } from './service-environments.ts';
import { openStores, type Stores } from './stores.ts';
import { hasWebApplication } from '../sites/web-application/build-web-application.ts';
import { hasDocumentationSite } from '../sites/documentation/build-documentation-site.ts';
import { startDocumentationSite } from '../sites/documentation/start-documentation-site.ts';
import type { WebServer } from '../sites/serve-files.ts';
import { startWebApplication, type WebApplication } from '../sites/web-application/start-web-application.ts';

/** How to run the platform. */
export interface PlatformOptions {
  readonly environment: Environment;
  /** One process for each deployable. @default false: one for all */
  readonly split?: boolean;
  /** Shows the steps of the start, and prints the banner. */
  readonly progress: Progress;
  /** Publishes what runs here. Absent: it is not published. */
  readonly publish?: PublishOwnRelease;
  /** Gives up a start that is under way: what has been started is closed again, and the start rejects. */
  readonly signal?: AbortSignal;
}

/** The platform while it serves. */
export interface Platform {
  readonly gatewayUrl: string;
  /** Ends the deployables, then the stores. Safe to call twice. */
  close(): Promise<void>;
}

/** What closes on the way back when a step of the start fails, the last opened first. */
type Closers = (() => unknown)[];

interface Prepared {
  readonly config: PlatformConfig;
  readonly ports: Ports;
  readonly stores: Stores;
  readonly environments: Readonly<Record<Prefix, Environment>>;
}

const SUPERGRAPH = fileURLToPath(import.meta.resolve('@trellis/content-graph/supergraph.graphql'));
const QUERY_DEADLINE_MS = 10_000;
const PUBLISH_DEADLINE_MS = 15_000;

/** What the search service's command line needs of a running platform. */
const SEARCH_VARIABLES = [
  'NODE_ENV',
  'DATABASE_URL',
  'SEARCH_DATABASE_URL',
  'USER_CONTEXT_JWKS',
  'USER_CONTEXT_JWKS_URL',
];

/**
 * Starts the whole platform, on embedded stores where the environment names none.
 *
 * @throws ConfigError with all that is wrong with any configuration, before anything has started
 * @throws PortInUse, DirectoryInUse, StoreUnavailable, and what the auth-server or the gateway throws when it can't start
 */
export async function startPlatform(given: PlatformOptions): Promise<Platform> {
  const { config, environment } = await readConfiguration(given.environment, SUPERGRAPH);
  const options = { ...given, environment };
  const closers: Closers = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll(closers));
  try {
    const prepared = await prepare(config, options, closers);
    await serve(prepared, options, closers);
    return { gatewayUrl: graphUrl(prepared.ports), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function prepare(
  config: PlatformConfig,
  options: PlatformOptions,
  closers: Closers,
): Promise<Prepared> {
  const { environment, progress } = options;
  const lock: DirectoryLock = lockDirectory(config.DATA_DIR);
  closers.push(() => lock.release());
  const ports = await settlePorts(config);
  const secrets = await loadSecrets(config.DATA_DIR);
  options.signal?.throwIfAborted();
  const stores = await openStores({ config, environment, secrets, progress });
  closers.push(() => stores.close());
  options.signal?.throwIfAborted();
  const environments = describeEnvironments({
    config,
    environment,
    secrets,
    stores,
    ports,
    supergraphFile: SUPERGRAPH,
  });
  return { config, ports, stores, environments };
}

async function serve(prepared: Prepared, options: PlatformOptions, closers: Closers): Promise<void> {
  const { config, ports, stores } = prepared;
  const { progress, signal } = options;
  const { print } = progress;
  const web = await startWeb(prepared, options);
  closers.push(() => web?.close());
  const documentation = await startDocumentation(prepared, options);
  closers.push(() => documentation?.close());
  const registry = await publishSubgraphs(prepared, options);
  const hasDemoData = prepared.environments.AUTH['DEMO_DATA'] === 'true';
  const host = await progress.during(
    'Migrating, filling in demo data and starting the services',
    async () => {
      if (hasDemoData) await fillDemoContent({ config, environments: prepared.environments, print });
      return startHost(prepared, options);
    },
  );
  closers.push(() => host.close());
  signal?.throwIfAborted();
  writeOwnAddress(prepared, options.environment);
  closers.push(() => removePlatformFile(config.DATA_DIR));
  const { operations } = host;
  print(
    formatBanner({
      hasDemoData,
      hasWebApplication: web !== undefined,
      hasDocumentation: documentation !== undefined,
      ports,
      operations,
      stores: stores.descriptions,
      registry,
    }),
  );
  await printReadiness(host, internalAddressOf('GATEWAY', ports, options.environment), print);
}

/** A registry that is damaged keeps no one from working. @returns what the banner says of it */
async function publishSubgraphs(
  { config, ports }: Prepared,
  { environment, publish, signal, progress: { print } }: PlatformOptions,
): Promise<readonly string[]> {
  if (!publish || !publishesSubgraphs(config, environment)) return [];
  const deadline = AbortSignal.timeout(PUBLISH_DEADLINE_MS);
  try {
    const release = describeOwnRelease(config, environment, ports);
    const published = await publish(release, signal ? AbortSignal.any([signal, deadline]) : deadline);
    return describePublished(release, published);
  } catch (error) {
    signal?.throwIfAborted();
    print(`  ${describeUnpublished(config.DATA_DIR, error)}`);
    return [];
  }
}

/** The sample application, where it is served. */
async function startWeb(
  { config, ports }: Prepared,
  { environment, progress: { print } }: PlatformOptions,
): Promise<WebApplication | undefined> {
  if (!servesWebApplication(config, environment) || !hasWebApplication()) return undefined;
  return startWebApplication({
    port: ports.WEB,
    host: environment['HOST'] || '127.0.0.1',
    config: { issuer: issuerOf({ environment, ports }), clientId: 'trellis-web', graph: graphUrl(ports) },
    print,
  });
}

/** The documentation site, where it is served. */
async function startDocumentation(
  { config, ports }: Prepared,
  { environment, progress: { print } }: PlatformOptions,
): Promise<WebServer | undefined> {
  if (!servesDocumentation(config, environment) || !hasDocumentationSite()) return undefined;
  return startDocumentationSite({ port: ports.DOCS, host: environment['HOST'] || '127.0.0.1', print });
}

function startHost({ config, environments, ports }: Prepared, options: PlatformOptions): Promise<Host> {
  const { split, progress, signal = new AbortController().signal } = options;
  const { print } = progress;
  const own = nameOwnGateway(environments, config, split ?? false);
  return split
    ? hostSplit({ config, environments: own, ports, signal, print })
    : hostInProcess({ config, environments: own, print });
}

/** For the commands of the same data directory. */
function writeOwnAddress({ config, environments, ports }: Prepared, environment: Environment): void {
  const services = programs.map(({ prefix, service }) => [service, addressOf(prefix, ports)]);
  writePlatformFile(config.DATA_DIR, {
    gatewayUrl: graphUrl(ports),
    issuer: issuerOf({ environment, ports }),
    services: Object.fromEntries(services) as Record<string, string>, // of such entries
    authServerEnvironment: sharedAuthServerEnvironment(environments.AUTH),
    searchEnvironment: pickVariables(environments.SEARCH, SEARCH_VARIABLES),
  });
}

function graphUrl(ports: Ports): string {
  return `${addressOf('GATEWAY', ports)}/graphql`;
}

async function printReadiness(host: Host, gateway: string, print: (line: string) => void): Promise<void> {
  for (const service of host.unavailable) {
    print(`  ${service} does not serve yet; it is started again until it does. The rest serves meanwhile.`);
  }
  if (!(await respondsToQueries(gateway))) throw new Error('The gateway does not answer. Its log says why.');
  print('  ready');
}

/** A query that needs no token, from the socket through the whole pipeline and back. */
async function respondsToQueries(gateway: string): Promise<boolean> {
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
    signal: AbortSignal.timeout(QUERY_DEADLINE_MS),
  }).catch(() => undefined);
  return response?.ok === true;
}

/** One that can't close does not keep the others from it. */
async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

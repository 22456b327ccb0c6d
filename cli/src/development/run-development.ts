import { join } from 'node:path';
import { printable, type SubgraphSchema } from '@trellis/composition';
import { gateway, type GatewayConfig } from '@trellis/gateway';
import { runDeployable, type DeployableProgram, type Resources } from '@trellis/runtime';
import { flagsAsVariables } from '../flags-as-variables.ts';
import { takesNextOperationsPort } from '../operations-port.ts';
import type { DevCall, DevFlags } from './dev-call.ts';
import type { DeveloperKey } from './developer-key.ts';
import { createDevelopmentGraph } from './development-graph.ts';
import { openDevStores } from './open-dev-stores.ts';
import { OpenParts } from './open-parts.ts';
import { runCommand } from './run-command.ts';
import { startDevelopment, type DevelopmentGateway } from './start-development.ts';
import { startMocks, type Mocks } from './start-mocks.ts';
import { followSubgraph, type SubgraphFeed } from './subgraph-feed.ts';

/** What is developed, and how. */
export interface DevelopmentRun {
  readonly call: DevCall;
  readonly flags: DevFlags;
  readonly key: DeveloperKey;
  /** The rest of the graph. */
  readonly rest: readonly SubgraphFeed[];
  /** Holds the data of embedded stores. */
  readonly directory: string;
}

/** Runs until the process is asked to end, as each deployable does. */
export async function runDevelopment(run: DevelopmentRun): Promise<void> {
  const { flags, key } = run;
  const program: DeployableProgram<GatewayConfig, DevelopmentGateway> = {
    ...gateway,
    start: (config, resources) => startAll(run, config, resources),
  };
  const given = flagsAsVariables('GATEWAY', [
    ['PORT', '--port', flags.port],
    ['CONFIG', '--config', flags.config],
  ]);
  const environment = {
    LOG_LEVEL: 'error',
    GATEWAY_USER_CONTEXT_PRIVATE_KEY: key.privateKey,
    ...process.env,
    ...given.environment,
    GATEWAY_SUPERGRAPH: 'trellis-dev', // it is composed here
    GATEWAY_WORKERS: '1',
  };
  await runDeployable(program, environment, {
    takesNextOperationsPort: takesNextOperationsPort('GATEWAY', process.env),
    flags: given.flags,
  });
}

/** What was opened when something fails, or a signal comes, is closed again. */
async function startAll(
  run: DevelopmentRun,
  config: GatewayConfig,
  resources: Resources,
): Promise<DevelopmentGateway> {
  const parts = new OpenParts();
  const stop = (): void => void parts.close().finally(() => process.exit(1));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const served = await open(run, config, resources, parts);
    print(`ready at ${served.url}/graphql, explorer at ${served.url}/explorer`);
    return { ...served, close: () => parts.close() };
  } catch (error) {
    await parts.close();
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

async function open(
  run: DevelopmentRun,
  config: GatewayConfig,
  resources: Resources,
  parts: OpenParts,
): Promise<DevelopmentGateway> {
  const { call, rest } = run;
  const mocks = await parts.open(startMocks());
  if (call.command.length > 0) await startCommand(run, parts);
  for (const name of call.withoutServer)
    print(`${name} is mocked: say where it runs by --url ${name}=http://…, or start it after --`);
  const served = await startDevelopment(
    {
      graph: createDevelopmentGraph({
        own: call.own.map(followSubgraph),
        rest,
        urlOf: (subgraph, isOwn) =>
          isMocked(call, subgraph.name, isOwn) ? mocks.urlOf(subgraph.name) : subgraph.routingUrl,
      }),
      onSubgraphs: (subgraphs) => setMocks(mocks, subgraphs),
      print,
    },
    config,
    resources,
  );
  return parts.add(served); // not before: until a first graph composes, the end would wait for it
}

/** One's own subgraph is mocked where it runs nowhere; others where the developer says so. */
function isMocked({ withoutServer, mocked }: DevCall, name: string, isOwn: boolean): boolean {
  if (isOwn) return withoutServer.has(name);
  return mocked === 'all' || mocked.has(name);
}

function setMocks(mocks: Mocks, subgraphs: readonly SubgraphSchema[]): void {
  for (const { name, sdl, routingUrl } of subgraphs)
    if (routingUrl === mocks.urlOf(name)) mocks.set(name, sdl);
}

async function startCommand(
  { call, flags, key, directory }: DevelopmentRun,
  parts: OpenParts,
): Promise<void> {
  const stores = flags.stores ? await parts.open(openDevStores(join(directory, 'dev'), print)) : undefined;
  const environment = {
    ...process.env,
    ...stores?.environment, // asked for here and now
    ...(call.commandPort !== undefined && { PORT: String(call.commandPort) }),
    ...ownOperationsPort(process.env),
    ...knownKeys(process.env, key),
  };
  parts.add(runCommand(call.command, environment, print));
}

type Variables = Readonly<Record<string, string | undefined>>;

/** OPERATIONS_PORT and its default are the gateway's, and a port is of one process: the command gets any free one. */
function ownOperationsPort({ GATEWAY_OPERATIONS_PORT: gatewayPort }: Variables): Variables {
  return gatewayPort ? {} : { OPERATIONS_PORT: '0' };
}

function knownKeys(
  { USER_CONTEXT_JWKS: given, USER_CONTEXT_JWKS_URL: address }: Variables,
  key: DeveloperKey,
): Variables {
  return given || address ? {} : { USER_CONTEXT_JWKS: key.publicKeys };
}

/** Schemas and messages of others move no cursor. */
function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

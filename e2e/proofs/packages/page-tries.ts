import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@trellis/testkit';
import { root } from '../../harness/running-program.ts';
import { offlineShell, tryByNpx } from './npx-program.ts';
import type { NodeRelease } from './outside-project.ts';
import { expectData, SILENT, urlOf } from './outside-graph.ts';
import { npxWords } from './page-commands.ts';
import { plainEnvironment, runProgram } from './run-program.ts';
import { serve } from './served-program.ts';

/** How long the gateway took from the call of npx to its first response, beside what least a server takes that is started so. */
export interface GatewayStart {
  readonly readyMs: number;
  readonly controlMs: number;
}

/** As little as npx can start that responds. */
const CONTROL =
  "node -e \"require('node:http').createServer((_, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1')\"";

/** The gateway by the page's command, between two starts of a bare server: the slower of them counts, as it was as busy then. */
export async function startGateway(cwd: string, node: NodeRelease): Promise<GatewayStart> {
  const start = async (words: readonly string[], path: string): Promise<number> => {
    const port = await freePort();
    const env = { ...offlineShell(node), ...SILENT, PORT: String(port) };
    return tryByNpx(words, { cwd, env, address: `${urlOf(port)}${path}` });
  };
  const before = await start(['-c', CONTROL], '/');
  const readyMs = await start(npxWords('gateway'), '/health/ready');
  return { readyMs, controlMs: Math.max(before, await start(['-c', CONTROL], '/')) };
}

/** The plugin in a server of one's own. */
export async function tryEmbedding(cwd: string, { executable }: NodeRelease): Promise<void> {
  const port = await freePort();
  const env = { ...plainEnvironment(), LOG_LEVEL: 'warn', PORT: String(port) };
  const host = await serve([executable, 'embedding.mjs'], `${urlOf(port)}/ready`, { cwd, env });
  await expectData(port, '{ __typename }', { __typename: 'Query' });
  await host.stop();
}

/** A subgraph of another repository joins the graph while its gateway serves, with a key that `trellis secrets` has printed. */
export async function tryJoining(cwd: string, node: NodeRelease): Promise<void> {
  const [gatewayPort, subgraphPort] = [await freePort(), await freePort()];
  const env = { ...offlineShell(node), ...SILENT };
  const subgraphEnv = { ...plainEnvironment(), GATEWAY: urlOf(gatewayPort), PORT: String(subgraphPort) };
  await tryByNpx(npxWords('gateway'), {
    cwd,
    env: { ...env, PORT: String(gatewayPort), USER_CONTEXT_PRIVATE_KEY: await printedKey(cwd, env) },
    address: `${urlOf(gatewayPort)}/health/ready`,
    meanwhile: async () => {
      const ready = `${urlOf(subgraphPort)}/health/ready`;
      const subgraph = await serve([node.executable, 'greetings.mjs'], ready, { cwd, env: subgraphEnv });
      writeFileSync(join(cwd, 'supergraph.yaml'), joinedConfiguration(subgraphPort));
      await runProgram('npx', npxWords('compose'), { cwd, env });
      await expectData(gatewayPort, '{ greeting }', { greeting: 'Hello, world' });
      await subgraph.stop();
    },
  });
  cpSync(join(root, 'graph/supergraph.graphql'), join(cwd, 'supergraph.graphql')); // without it, as before
}

async function printedKey(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const printed = await runProgram('npx', ['trellis', 'secrets'], { cwd, env });
  const [, key] = /^USER_CONTEXT_PRIVATE_KEY='(.+)'$/m.exec(printed) ?? [];
  if (key === undefined) throw new Error('trellis secrets has printed no USER_CONTEXT_PRIVATE_KEY.');
  return key;
}

const CONTENT = ['users', 'posts', 'comments', 'search'];

function joinedConfiguration(port: number): string {
  const subgraphs = CONTENT.map((name) => {
    const file = join(root, 'services', name, 'src/schema.graphql');
    return `  ${name}: { routing_url: "http://127.0.0.1:1/graphql", schema: { file: ${JSON.stringify(file)} } }`;
  });
  const greetings = `  greetings: { routing_url: "${urlOf(port)}/graphql", schema: { file: greetings.graphql } }`;
  return `federation_version: =2.14.4\nsubgraphs:\n${[...subgraphs, greetings].join('\n')}\n`;
}

const PORTS = ['AUTH', 'USERS', 'POSTS', 'COMMENTS', 'SEARCH', 'WEB', 'DOCS', 'OPERATIONS'];

/** The whole platform on its embedded stores, in the folder `.data`. */
export async function tryPlatform(cwd: string, node: NodeRelease): Promise<void> {
  const port = await freePort();
  const ports = Object.fromEntries(PORTS.map((name) => [`${name}_PORT`, '0']));
  await tryByNpx(npxWords('platform'), {
    cwd,
    env: { ...offlineShell(node), ...ports, GATEWAY_PORT: String(port) },
    address: `${urlOf(port)}/health/ready`,
    meanwhile: () => expectData(port, '{ __typename }', { __typename: 'Query' }),
  });
}

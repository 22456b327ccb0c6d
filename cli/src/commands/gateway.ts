import { startFirstPlanner } from '@trellis/gateway/first-planner';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { flagsAsVariables, type FlagsAsVariables } from '../flags-as-variables.ts';
import { takesNextOperationsPort } from '../operations-port.ts';

/** What the command line may say; the environment says the rest. */
interface GatewayFlags {
  readonly supergraph?: string;
  readonly subgraph?: readonly string[];
  readonly port?: string;
  readonly host?: string;
  readonly config?: string;
  readonly forwardHeader?: readonly string[];
  readonly workers?: string;
}

/** `trellis gateway`: serves a supergraph, with nothing else needed. */
export function gatewayCommand(): CliCommand {
  const command = new Command('gateway')
    .description(
      'Serves a supergraph, with nothing else needed.\nSUPERGRAPH, PORT, HOST and CONFIG in the environment do the same.',
    )
    .argument('[FILE|URL]', 'the supergraph to serve, as --supergraph')
    .option('--supergraph <FILE|URL>', 'the supergraph to serve')
    .option(
      '--subgraph <NAME=URL>',
      'a running subgraph to compose, in the place of --supergraph, and to follow; for development; may be repeated',
      collect,
    )
    .option('--port <N>', 'default: 4000')
    .option('--host <HOST>', 'the address to listen on')
    .option('--config <FILE>', 'settings, as in gateway.yaml')
    .option('--forward-header <NAME>', 'a header of clients that subgraphs receive; may be repeated', collect)
    .option('--workers <N>', 'processes that share the port')
    .action((named: string | undefined, flags: GatewayFlags) =>
      run(command, withNamed(command, named, flags)),
    );
  return { command };
}

function collect(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}

function withNamed(command: Command, named: string | undefined, flags: GatewayFlags): GatewayFlags {
  if (named === undefined) return flags;
  if (flags.supergraph !== undefined) command.error('Name the supergraph once: as FILE, or by --supergraph.');
  return { ...flags, supergraph: named };
}

async function run(command: Command, flags: GatewayFlags): Promise<void> {
  if (flags.supergraph && flags.subgraph) command.error('Say either --supergraph or --subgraph.');
  const problem = problemOfSubgraphs(flags.subgraph ?? []);
  if (problem !== undefined) command.error(problem);
  if (
    !flags.supergraph &&
    !flags.subgraph &&
    !flags.config &&
    !process.env['SUPERGRAPH'] &&
    !process.env['CONFIG']
  )
    command.error(
      'Say which supergraph: --supergraph FILE, --supergraph URL, or --subgraph NAME=URL for each subgraph.',
    );
  const given = givenVariables(flags);
  const environment = { ...process.env, ...given.environment };
  if (plansItself(flags, environment)) void startFirstPlanner(); // it loads while this thread does
  const [{ gateway }, { runDeployable }] = await Promise.all([
    import('@trellis/gateway'),
    import('@trellis/runtime'),
  ]);
  await runDeployable(gateway, environment, {
    takesNextOperationsPort: takesNextOperationsPort('GATEWAY', process.env),
    flags: given.flags,
  });
}

/** In several processes the workers plan, and what composes running subgraphs plans in more memory. */
function plansItself(flags: GatewayFlags, environment: NodeJS.ProcessEnv): boolean {
  const workers = environment['GATEWAY_WORKERS'] ?? environment['WORKERS'];
  return !flags.subgraph && (workers === undefined || workers === '1');
}

function problemOfSubgraphs(subgraphs: readonly string[]): string | undefined {
  const names = new Set<string>();
  for (const text of subgraphs) {
    const [, name, url] = /^([^=\s/\\]+)=(https?:\/\/\S+)$/.exec(text) ?? [];
    if (name === undefined || url === undefined || !URL.canParse(url))
      return `"${text}" must be NAME=http://… or NAME=https://…`;
    if (names.has(name)) return `Name each subgraph once: "${name}" has two addresses.`;
    names.add(name);
  }
  return undefined;
}

function givenVariables(given: GatewayFlags): FlagsAsVariables {
  const { supergraph, subgraph, forwardHeader } = given;
  return flagsAsVariables('GATEWAY', [
    [
      'SUPERGRAPH',
      supergraph === undefined ? '--subgraph' : '--supergraph',
      supergraph ?? subgraph?.join(' '),
    ],
    ['PORT', '--port', given.port],
    ['HOST', '--host', given.host],
    ['CONFIG', '--config', given.config],
    ['FORWARD_HEADERS', '--forward-header', forwardHeader?.join(' ')],
    ['WORKERS', '--workers', given.workers],
  ]);
}

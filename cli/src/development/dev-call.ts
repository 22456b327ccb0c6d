import type { SubgraphConfig } from '@trellis/composition';

/** No subgraph has this name. */
export const MOCK_ALL = '*';

/** What the command line of `trellis dev` may say. */
export interface DevFlags {
  readonly subgraph?: readonly string[];
  readonly url?: readonly string[];
  readonly rest?: string;
  readonly registry?: string;
  readonly trust?: string;
  /** Names; {@link MOCK_ALL} is all. */
  readonly mock?: readonly string[];
  readonly stores?: boolean;
  readonly port?: string;
  readonly config?: string;
  readonly key?: string;
  readonly printKey?: boolean;
}

/** A call of `trellis dev`, read. */
export interface DevCall {
  readonly own: readonly SubgraphConfig[];
  /** Own subgraphs that run nowhere: they are mocked. */
  readonly withoutServer: ReadonlySet<string>;
  readonly mocked: 'all' | ReadonlySet<string>;
  readonly command: readonly string[];
  /** Where the command is to listen; absent where no subgraph waits for it. */
  readonly commandPort: number | undefined;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Reads what a developer wants.
 *
 * @param freePort brings a port for the command
 * @param platform Windows runs no command: nothing there ends it with all that it has started
 * @throws DevCallProblem with what is wrong
 */
export async function readDevCall(
  { subgraph = [], url = [], mock = [], rest, stores = false }: DevFlags,
  command: readonly string[],
  freePort: () => Promise<number>,
  platform: NodeJS.Platform = process.platform,
): Promise<DevCall> {
  const own = new Map(subgraph.map(readAssignment));
  if (own.size < subgraph.length) throw new DevCallProblem('A subgraph is named twice.');
  if (own.size === 0 && rest === undefined)
    throw new DevCallProblem('Say which subgraph: --subgraph NAME=FILE or --subgraph NAME=URL.');
  const urls = new Map(url.map(readAssignment));
  for (const [name, address] of urls) {
    if (!own.has(name)) throw new DevCallProblem(`--url ${name}=… goes with --subgraph ${name}=FILE.`);
    if (!isUrl(address)) throw new DevCallProblem(`--url ${name}=${address} is no http or https URL.`);
  }
  if (stores && command.length === 0)
    throw new DevCallProblem('--stores goes with a command after --, which gets DATABASE_URL and REDIS_URL.');
  const homeless = [...own].filter(([name, source]) => !isUrl(source) && !urls.has(name));
  if (command.length > 0 && platform === 'win32') throw new DevCallProblem(startItYourself(homeless));
  if (command.length > 0 && homeless.length > 1)
    throw new DevCallProblem(`Say where each subgraph runs: ${placesOf(homeless)}`);
  const commandPort = command.length > 0 && homeless.length === 1 ? await freePort() : undefined;
  return {
    own: [...own].map(([name, source]) =>
      toSubgraph(name, source, urls.get(name) ?? `http://127.0.0.1:${commandPort ?? 0}/graphql`),
    ),
    withoutServer: new Set(commandPort === undefined ? homeless.map(([name]) => name) : []),
    mocked: mock.includes(MOCK_ALL) ? 'all' : new Set(mock),
    command,
    commandPort,
  };
}

type Assignment = readonly [name: string, value: string];

function placesOf(homeless: readonly Assignment[]): string {
  return homeless.map(([name]) => `--url ${name}=http://…`).join(' ');
}

function startItYourself(homeless: readonly Assignment[]): string {
  const place = homeless.length === 0 ? '' : `, and say where it runs by ${placesOf(homeless)}`;
  return `trellis dev runs no command on Windows: start it yourself${place}.`;
}

/** A command line that makes no sense; the message says why. */
export class DevCallProblem extends Error {
  override readonly name = 'DevCallProblem';
}

function readAssignment(text: string): [string, string] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  const value = text.slice(at + 1);
  if (!NAME.test(name) || value === '') throw new DevCallProblem(`"${text}" must be NAME=FILE or NAME=URL.`);
  return [name, value];
}

function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

function toSubgraph(name: string, source: string, routingUrl: string): SubgraphConfig {
  if (isUrl(source))
    return { name, routingUrl: source, schema: { kind: 'address', url: source, headers: {} } };
  return { name, routingUrl, schema: { kind: 'file', path: source, file: source } };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics, type Metrics } from '@trellis/runtime';
import { createTemporaryDirectory } from '@trellis/testkit';
import { gateway } from '../app/gateway.ts';
import { startGateway, type RunningGateway } from '../app/start-gateway.ts';
import { compose } from './compose.ts';
import { assertListedOutcomes } from './listed-outcomes.ts';
import { startWarmPlanner } from './warm-planner.ts';
import type { SubgraphServer } from './subgraph-server.ts';

/** A whole gateway over real subgraphs, on a free port. */
export interface TestGateway {
  /** Without a path. */
  readonly url: string;
  /** Where its supergraph file is. */
  readonly supergraphFile: string;
  /** Where its gateway.yaml is, and what that names. */
  readonly directory: string;
  readonly metrics: Metrics;
  /** Puts settings in force, as if gateway.yaml had changed. @throws Error where they are invalid */
  reload(settings: object): Promise<void>;
  /** What it is made of. @throws Error where it runs in workers */
  inside(): Pick<RunningGateway, 'configuration' | 'resources'>;
  /** The log so far, one object a record. */
  logged(): readonly Readonly<Record<string, unknown>>[];
  /** Sends a GET /graphql, without other headers with {@link PREFLIGHT}. */
  get(
    parameters: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<GatewayResponse>;
  /** Sends a POST /graphql. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<GatewayResponse>;
  /** @throws Error where an operation ended with a code that its stage does not list */
  close(): Promise<void>;
}

/** What came back. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, for single requests. */
  readonly body: GraphBody;
  /** The parsed body, for batches. */
  readonly bodies: readonly GraphBody[];
}

/** A response as GraphQL defines it. */
export interface GraphBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: readonly unknown[];
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** How the gateway is configured. */
export interface TestGatewayOptions {
  readonly subgraphs: readonly SubgraphServer[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The text of gateway.yaml. */
  readonly settings?: string;
  /** More files beside it, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Of the log. @default debug */
  readonly logLevel?: 'debug' | 'trace';
}

/** Starts a gateway as its own process would, in this one. */
export async function startTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const directory = createTemporaryDirectory();
  const supergraphFile = join(directory.path, 'supergraph.graphql');
  writeFileSync(supergraphFile, compose(options.subgraphs));
  const settingsFile = join(directory.path, 'gateway.yaml');
  if (options.settings !== undefined) writeFileSync(settingsFile, options.settings);
  for (const [name, text] of Object.entries(options.files ?? {}))
    writeFileSync(join(directory.path, name), text);
  const records: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level: options.logLevel ?? 'debug',
    destination: { write: (line) => void records.push(line) },
  });
  const metrics = createMetrics('gateway');
  const config = gateway.readConfig({
    PORT: '0',
    SUPERGRAPH: supergraphFile,
    CACHE_REDIS_TIMEOUT_MS: '10000', // of a busy machine: after a failure the cache is left alone for a while
    ...(options.settings !== undefined && { CONFIG: settingsFile }),
    ...options.environment,
  });
  const inOneProcess =
    config.WORKERS === 1
      ? await startGateway(config, { logger, metrics, startPlanner: startWarmPlanner })
      : undefined;
  const running = inOneProcess ?? (await gateway.start(config, { logger, metrics }));
  const inside = (): RunningGateway => {
    if (!inOneProcess) throw new Error('The gateway runs in workers.');
    return inOneProcess;
  };
  const logged = (): Readonly<Record<string, unknown>>[] =>
    records.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    url: running.url,
    supergraphFile,
    directory: directory.path,
    metrics,
    async reload(settings) {
      const { length } = records;
      writeFileSync(settingsFile, JSON.stringify(settings));
      await inside().configuration.reload();
      const invalid = logged()
        .slice(length)
        .find(({ msg }) => msg === INVALID_CONFIGURATION);
      if (invalid) throw new Error(JSON.stringify(invalid['err']));
    },
    inside,
    logged,
    get: (parameters, headers) => get(running.url, parameters, headers),
    post: (body, headers) => post(running.url, body, headers),
    async close() {
      await running.close();
      directory.remove();
      assertListedOutcomes(logged());
    },
  };
}

const INVALID_CONFIGURATION = 'invalid configuration; keeping the current one';

/** A header that makes browsers ask before they send a request to another origin. */
export const PREFLIGHT: Readonly<Record<string, string>> = { 'apollo-require-preflight': 'true' };

async function get(
  url: string,
  parameters: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = PREFLIGHT,
): Promise<GatewayResponse> {
  const query = new URLSearchParams(parameters).toString();
  return readGatewayResponse(await fetch(`${url}/graphql?${query}`, { headers }));
}

/** Sends a request as a client would, text as it is and everything else as JSON. */
async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<GatewayResponse> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return readGatewayResponse(response);
}

/** Reads a response of the graph. */
export async function readGatewayResponse(response: Response): Promise<GatewayResponse> {
  const text = await response.text();
  const parsed: unknown = JSON.parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed as GraphBody,
    bodies: parsed as GraphBody[],
  };
}

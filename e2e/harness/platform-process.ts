import { freePorts } from '@trellis/testkit';
import { startProgram, type RunningProgram } from './running-program.ts';

/** Where the parts of a platform listen. */
export interface PlatformAddresses {
  /** The graph's endpoint, which is also the audience of its tokens. */
  readonly graph: string;
  readonly gateway: string;
  /** The auth-server. */
  readonly issuer: string;
  readonly subgraphs: Readonly<Record<'users' | 'posts' | 'comments' | 'search', string>>;
  /** The sample application. */
  readonly web: string;
  /** The documentation site. */
  readonly docs: string;
  /** Serves `GET /metrics`. */
  readonly operations: string;
}

/** Settings of {@link startPlatform}. */
export interface PlatformOptions {
  /** Reuse it to find the data of an earlier run. */
  readonly dataDirectory: string;
  /** More variables, such as `LOG_LEVEL`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Reuse them to come back at the same addresses. @default free ones */
  readonly ports?: PlatformPorts;
  /** Arguments of `npm start`, such as `--split`. */
  readonly args?: readonly string[];
  /** Whether it is started by exactly what `npm start` runs, or may be compiled already. @default false */
  readonly isFromSource?: boolean;
}

/** Variables that name a port each. */
export type PlatformPorts = Readonly<Record<PortVariable, string>>;

type PortVariable =
  | 'GATEWAY_PORT'
  | 'AUTH_PORT'
  | 'USERS_PORT'
  | 'POSTS_PORT'
  | 'COMMENTS_PORT'
  | 'SEARCH_PORT'
  | 'WEB_PORT'
  | 'DOCS_PORT'
  | 'OPERATIONS_PORT';

/** A platform that has said that it is ready. */
export interface PlatformProcess extends RunningProgram {
  readonly addresses: PlatformAddresses;
  /** What it was started with; other programs with the same environment find it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds from the start to the line that says `ready`. */
  readonly readyAfterMs: number;
}

/** Sixty seconds are promised for a cold start; the rest is for a machine that does something else beside. */
const READY_DEADLINE_MS = 90_000;

/** A line for a terminal, not a record of the log. */
const READY_LINE = /^(?!\s*\{).*\bready\b/im;

/** Free ports; behind that of operations are five more, for a platform in several processes. */
export async function choosePorts(): Promise<PlatformPorts> {
  const ports = await freePorts(14);
  const [gateway, auth, users, posts, comments, search, web, docs, operations] = ports.map(String) as Nine;
  return {
    GATEWAY_PORT: gateway,
    AUTH_PORT: auth,
    USERS_PORT: users,
    POSTS_PORT: posts,
    COMMENTS_PORT: comments,
    SEARCH_PORT: search,
    WEB_PORT: web,
    DOCS_PORT: docs,
    OPERATIONS_PORT: operations,
  };
}

type Nine = [string, string, string, string, string, string, string, string, string];

/** Between the choice of a port and its use another program may take it. */
const PORT_TRIES = 3;

/** Does what `npm start` does, on ports of its own, and waits for the line that says `ready`. */
export async function startPlatform(options: PlatformOptions): Promise<PlatformProcess> {
  if (options.ports) return startOn(options.ports, options);
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOn(await choosePorts(), options);
    } catch (error) {
      if (tries === PORT_TRIES || !/is in use by another program/.test(String(error))) throw error;
    }
  }
}

async function startOn(ports: PlatformPorts, options: PlatformOptions): Promise<PlatformProcess> {
  const environment = { DATA_DIR: options.dataDirectory, ...ports, ...options.environment };
  const startedAt = Date.now();
  const program = startProgram('start', {
    environment,
    dataDirectory: options.dataDirectory,
    ...(options.args && { args: options.args }),
    ...(options.isFromSource && { isFromSource: true }),
  });
  try {
    await program.output.waitFor(READY_LINE, READY_DEADLINE_MS);
  } catch (error) {
    await program.stop('SIGKILL');
    throw error;
  }
  return {
    ...program,
    addresses: addressesOf(ports),
    environment,
    readyAfterMs: Date.now() - startedAt,
  };
}

/** The addresses that belong to the ports, running or not. */
export function addressesOf(ports: PlatformPorts): PlatformAddresses {
  const at = (port: string): string => `http://localhost:${port}`;
  return {
    graph: `${at(ports.GATEWAY_PORT)}/graphql`,
    gateway: at(ports.GATEWAY_PORT),
    issuer: at(ports.AUTH_PORT),
    subgraphs: {
      users: at(ports.USERS_PORT),
      posts: at(ports.POSTS_PORT),
      comments: at(ports.COMMENTS_PORT),
      search: at(ports.SEARCH_PORT),
    },
    web: at(ports.WEB_PORT),
    docs: at(ports.DOCS_PORT),
    operations: `http://127.0.0.1:${ports.OPERATIONS_PORT}`,
  };
}

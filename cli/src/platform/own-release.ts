import { readFileSync } from 'node:fs';
import type { Environment } from '@trellis/runtime';
import { programs, type HostedProgram, type Prefix } from '../programs.ts';
import { addressOf } from './addresses.ts';
import { bringsConveniences } from './conveniences.ts';
import type { PlatformConfig } from './environment-table.ts';
import type { Ports } from './ports.ts';

/** A subgraph that the platform hosts. */
export interface OwnSubgraph {
  readonly name: string;
  readonly sdl: string;
  /** Of its package. */
  readonly version: string;
  readonly routingUrl: string;
}

/** What the platform publishes of itself when it starts. */
export interface OwnRelease {
  /** Where the registry is, with the keys beside it. */
  readonly dataDirectory: string;
  /** `content@development`. */
  readonly graph: string;
  /** The private JWK that signs. Absent: one is made in the data directory. */
  readonly signingKey: string | undefined;
  /** Whether a change is checked for what it breaks. */
  readonly isChecked: boolean;
  readonly subgraphs: readonly OwnSubgraph[];
}

/** The log that has the release, as a user reads it. */
export interface PublishedOwnRelease {
  /** Of the newest record. */
  readonly sequence: number;
  /** The registry's folder. */
  readonly registry: string;
  /** The file with the keys whose records count. */
  readonly trust: string;
}

/** Publishes a release where the registry has another. @throws what keeps it from being published */
export type PublishOwnRelease = (release: OwnRelease, signal: AbortSignal) => Promise<PublishedOwnRelease>;

const SUBGRAPHS: ReadonlySet<Prefix> = new Set(['USERS', 'POSTS', 'COMMENTS', 'SEARCH']);

/** Whether the platform publishes its subgraphs: among conveniences, or when it is asked to. */
export function publishesSubgraphs(config: PlatformConfig, environment: Environment): boolean {
  const { PUBLISH_SUBGRAPHS: given } = config;
  return given === undefined ? bringsConveniences(config, environment) : given === 'true';
}

/** What the subgraphs are now: the files that they serve, at the addresses where they listen. */
export function describeOwnRelease(
  config: PlatformConfig,
  environment: Environment,
  ports: Ports,
): OwnRelease {
  const isDevelopment = bringsConveniences(config, environment);
  return {
    dataDirectory: config.DATA_DIR,
    graph: isDevelopment ? 'content@development' : 'content@production',
    signingKey: isDevelopment ? undefined : environment['TRELLIS_SIGNING_KEY'],
    isChecked: !isDevelopment,
    subgraphs: programs.filter(({ prefix }) => SUBGRAPHS.has(prefix)).map(describeWith(ports)),
  };
}

function describeWith(ports: Ports): (program: HostedProgram) => OwnSubgraph {
  return ({ prefix, service, packageName }) => {
    const entry = import.meta.resolve(packageName);
    const read = (path: string): string => readFileSync(new URL(path, entry), 'utf8');
    const { version } = JSON.parse(read('../package.json')) as { readonly version: string }; // npm demands it
    const routingUrl = `${addressOf(prefix, ports)}/graphql`;
    return { name: service, sdl: read('../src/schema.graphql'), version, routingUrl };
  };
}

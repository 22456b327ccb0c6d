import { isLoopbackHost } from './loopback-host.ts';

/** What NODE_ENV may say. Another word is rejected, since it would mean something to its writer alone. */
export type NodeEnvironment = 'development' | 'test' | 'production';

/** Where a process is reached, and the environment that it is meant for. */
export interface Surroundings {
  readonly NODE_ENV?: NodeEnvironment | undefined;
  /** The address it listens on. */
  readonly HOST: string;
  /** The public base URL, of a process that has one. */
  readonly ISSUER?: string | undefined;
}

/**
 * Whether what is made for development may be used at all: by processes that no one but this machine reaches, so that neither
 * a forgotten nor a misspelled NODE_ENV gives it to the world.
 */
export function allowsConveniences(surroundings: Surroundings): boolean {
  return surroundings.NODE_ENV !== 'production' && isOfThisMachine(surroundings);
}

/** Whether a process behaves as in production: when NODE_ENV says so, or when it is absent and others reach the process. */
export function isProduction(surroundings: Surroundings): boolean {
  return (
    (surroundings.NODE_ENV ?? (isOfThisMachine(surroundings) ? 'development' : 'production')) === 'production'
  );
}

function isOfThisMachine({ HOST: host, ISSUER: issuer }: Surroundings): boolean {
  return isLoopbackHost(host) && (issuer === undefined || isLoopbackUrl(issuer));
}

function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}

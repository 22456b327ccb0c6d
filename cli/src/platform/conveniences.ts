import { allowsConveniences, type Environment, type NodeEnvironment } from '@trellis/runtime';
import { prefixes } from '../programs.ts';

/** What is read of the platform's configuration. */
interface Mode {
  readonly NODE_ENV?: NodeEnvironment | undefined;
}

/**
 * Whether the platform may bring what is made for development: the embedded Redis, generated secrets, demo data. The issuer
 * and every address that a deployable listens on have to be of this machine alone.
 */
export function bringsConveniences({ NODE_ENV }: Mode, environment: Environment): boolean {
  const ISSUER = environment['AUTH_ISSUER'] || environment['ISSUER'] || undefined;
  return prefixes.every((prefix) => {
    const HOST = environment[`${prefix}_HOST`] || environment['HOST'] || '127.0.0.1';
    return allowsConveniences({ NODE_ENV, HOST, ISSUER });
  });
}

/** Where conveniences are rejected, as the end of a sentence. */
export function placeWithoutConveniences({ NODE_ENV }: Mode): string {
  return NODE_ENV === 'production' ? 'in production' : 'where ISSUER or a HOST is no loopback address';
}

/** Whether the platform serves the sample application: among conveniences, or when its port is named. */
export function servesWebApplication(config: Mode, environment: Environment): boolean {
  return Boolean(environment['WEB_PORT']) || bringsConveniences(config, environment);
}

/** Whether the platform serves the documentation site: among conveniences, or when its port is named. */
export function servesDocumentation(config: Mode, environment: Environment): boolean {
  return Boolean(environment['DOCS_PORT']) || bringsConveniences(config, environment);
}

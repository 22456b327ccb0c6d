import type { Environment } from '@trellis/runtime';
import type { Prefix } from '../programs.ts';
import type { Ports } from './ports.ts';

/** The address of a deployable, or of the sample application, as users and tokens name it. */
export function addressOf(prefix: keyof Ports, ports: Ports): string {
  return `http://localhost:${ports[prefix]}`;
}

/** The address by which the deployables reach one another: where it really listens, without a look-up of `localhost`. */
export function internalAddressOf(prefix: Prefix, ports: Ports, environment: Environment): string {
  const host = environment[`${prefix}_HOST`] || environment['HOST'] || '127.0.0.1';
  return `http://${reachable(host)}:${ports[prefix]}`;
}

/** Who listens on every address can be reached at the loopback one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

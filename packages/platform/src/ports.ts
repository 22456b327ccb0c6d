import { createServer } from 'node:net';
import { freePort } from '@trellis/supervision';
import type { Prefix } from './hosted-programs.ts';
import type { PlatformConfig } from './platform-config.ts';
import type { Ports } from './service-environments.ts';

/** A port that another program holds; the message says which variable moves ours. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
}

const PREFIXES: readonly Prefix[] = ['AUTH', 'USERS', 'POSTS', 'COMMENTS', 'GATEWAY'];

/**
 * Settles the port of every deployable: 0 becomes a free one now, because others must know it before it listens.
 *
 * @throws PortInUse naming every port that is taken
 */
export async function settlePorts(config: PlatformConfig): Promise<Ports> {
  const entries = await Promise.all(
    PREFIXES.map(async (prefix) => [prefix, config[`${prefix}_PORT`] || (await freePort())] as const),
  );
  const wanted: readonly (readonly [string, number])[] = [...entries, ['OPERATIONS', config.OPERATIONS_PORT]];
  const taken = (await Promise.all(wanted.map(describeIfTaken))).filter((sentence) => sentence !== undefined);
  if (taken.length > 0) throw new PortInUse(taken.join('\n'));
  return Object.fromEntries(entries) as Ports; // one entry a prefix
}

async function describeIfTaken([prefix, port]: readonly [string, number]): Promise<string | undefined> {
  if (port === 0 || (await isFree(port))) return undefined;
  return `Port ${port} is in use by another program. Stop it, or set ${prefix}_PORT to another port.`;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

import { freePort, probePort } from '@trellis/dev-stores';
import { prefixes, type Prefix } from '../programs.ts';
import type { PlatformConfig } from './environment-table.ts';

/** Where everything listens, ports settled. */
export type Ports = Readonly<Record<Prefix | 'WEB' | 'DOCS', number>>;

/** A port that another program holds; the message says which variable moves ours. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
}

/** Where a port comes from, and whose it is. */
interface WantedPort {
  readonly variable: string;
  readonly port: number;
}

/**
 * Settles the port of every deployable: 0 becomes a free one now, because others must know it before it listens.
 *
 * @throws PortInUse naming every port that is taken
 */
export async function settlePorts(config: PlatformConfig): Promise<Ports> {
  const wanted = wantedPorts(config).filter(({ port }) => port !== 0);
  const sentences = await Promise.all(wanted.map(describeIfTaken));
  const taken = sentences.filter((sentence) => sentence !== undefined);
  if (taken.length > 0) throw new PortInUse(taken.join('\n'));
  const entries: [keyof Ports, number][] = [];
  for (const prefix of [...prefixes, 'WEB', 'DOCS'] as const)
    entries.push([prefix, config[`${prefix}_PORT`] || (await freePort())]);
  return Object.fromEntries(entries) as Ports; // one entry a prefix
}

/** Ports that two variables want, a sentence each. */
export function describeSharedPorts(config: PlatformConfig): readonly string[] {
  const wanted = wantedPorts(config).filter(({ port }) => port !== 0);
  return wanted.flatMap(({ variable, port }, index) => {
    const other = wanted.slice(0, index).find((earlier) => earlier.port === port);
    return other ? [`${variable} and ${other.variable} are both ${port}; each needs a port of its own.`] : [];
  });
}

function wantedPorts(config: PlatformConfig): readonly WantedPort[] {
  const names = [...prefixes, 'WEB', 'DOCS', 'OPERATIONS'] as const;
  return names.map((name) => ({ variable: `${name}_PORT`, port: config[`${name}_PORT`] }));
}

async function describeIfTaken({ variable, port }: WantedPort): Promise<string | undefined> {
  const problem = await probePort(port);
  if (problem === undefined) return undefined;
  if (problem === 'EACCES')
    return `Port ${port} needs rights that this process has not. Set ${variable} to another port.`;
  return `Port ${port} is in use by another program. Stop it, or set ${variable} to another port.`;
}

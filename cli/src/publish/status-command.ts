import { verifyLog, type VerifiedHead } from '@trellis/registry';
import { EXIT_FAILED, EXIT_UNAVAILABLE } from '@trellis/runtime/exit-codes';
import { z } from 'zod';
import { openForReading, type Environment, type RegistryOptions } from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { contractsOfRecords } from './contracts-of-records.ts';
import { describeRecord, recordDocument } from './describe-record.ts';

/** The options of `trellis status`. */
export interface StatusOptions extends RegistryOptions {
  /** Addresses of gateways. */
  readonly gateway?: readonly string[];
}

/** What a gateway said. */
interface GatewayStatus {
  readonly url: string;
  /** The record that it serves: `production.42`, or a contract of it, `production.42+partners`. Absent: it follows no registry, or did not respond. */
  readonly serves?: string;
  /** The newest record of that environment, where it serves another. */
  readonly behind?: string;
  /** Why nothing is known. */
  readonly failure?: string;
}

const GATEWAY_DEADLINE_MS = 5_000;

/**
 * `trellis status`: what each environment serves, and which of it gateways serve.
 *
 * @returns exit status 1 where a gateway serves another record than the newest, 69 where one says nothing
 * @throws RegistryError
 */
export async function statusCommand(
  options: StatusOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const access = await openForReading(options, env);
  const logs = await access.store.listLogs(signal);
  const heads: VerifiedHead[] = [];
  for (const log of logs) {
    const head = await verifyLog(access.store, log, access.trust, { signal });
    if (head) heads.push(head);
  }
  const contractsOf = await contractsOfRecords(access, heads, signal);
  const gateways = await Promise.all((options.gateway ?? []).map((url) => askGateway(url, heads, signal)));
  return {
    exit: exitOf(gateways),
    lines: [
      ...(heads.length === 0
        ? ['No environment has a release yet.']
        : heads.map((head) => describeRecord(head, contractsOf(head)))),
      ...gateways.map(describeGateway),
    ],
    document: { heads: heads.map((head) => recordDocument(head, contractsOf(head))), gateways },
  };
}

const health = z.object({ supergraph: z.string().max(300).optional() });

async function askGateway(
  address: string,
  heads: readonly VerifiedHead[],
  signal: AbortSignal,
): Promise<GatewayStatus> {
  try {
    const url = new URL('/health/ready', address);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(GATEWAY_DEADLINE_MS)]);
    const response = await fetch(url, { signal: limit, redirect: 'error' });
    const { supergraph } = health.parse(await response.json());
    if (supergraph === undefined) return { url: address, failure: 'it follows no registry' };
    const [version = ''] = supergraph.split('+', 1); // a contract of it may follow
    const newest = newestOf(version, heads);
    return { url: address, serves: supergraph, ...(newest !== version && { behind: newest }) };
  } catch (error) {
    return { url: address, failure: reasonOf(error) };
  }
}

/** The newest record of its environment; where several graphs have one of that name, the one that it serves counts. */
function newestOf(supergraph: string, heads: readonly VerifiedHead[]): string {
  const [environment] = supergraph.split('.');
  const versions = heads
    .filter(({ record }) => record.environment === environment)
    .map(({ record }) => `${record.environment}.${record.sequence}`);
  return versions.find((version) => version === supergraph) ?? versions[0] ?? 'no record of this registry';
}

function describeGateway({ url, serves, behind, failure }: GatewayStatus): string {
  if (failure !== undefined) return `gateway ${url}: unknown: ${failure}`;
  return `gateway ${url}: serves ${serves}${behind === undefined ? '' : `, the newest is ${behind}`}`;
}

function exitOf(gateways: readonly GatewayStatus[]): number {
  if (gateways.some(({ failure }) => failure !== undefined)) return EXIT_UNAVAILABLE;
  return gateways.some(({ behind }) => behind !== undefined) ? EXIT_FAILED : 0;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ZodError' || error instanceof SyntaxError) return 'what responds is no gateway';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

import { FileProblems, loadSubgraphs, readSupergraphConfig, type Composers } from '@trellis/composition';
import { formatLogName, HttpStore, isContractName, RegistryError } from '@trellis/registry';
import {
  logOf,
  openForPublishing,
  openForReading,
  storeOf,
  type Environment,
  type GraphOptions,
} from '../registry/registry-access.ts';
import { readNamedFile } from '../supergraph/named-file.ts';
import { readRules } from '../supergraph/read-rules.ts';
import { askedSubgraphs } from './asked-subgraphs.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { assertHonoured, verifyByOwnTrust } from './options-over-http.ts';
import { submit } from './submit.ts';
import { recordDocument, shortDigest } from './describe-record.ts';
import { publishRelease, type Publication } from './publish-release.ts';
import type { ContractsChange, GraphPublication, SubgraphToPublish } from './release-candidate.ts';
import { readRunningSubgraphs, withUnknown, type RunningOptions } from './running-subgraphs.ts';
import { guardedAddress, sentGuards } from './sent-guards.ts';

/** The options of `trellis publish`. */
export interface PublishOptions extends GraphOptions, RunningOptions {
  readonly subgraph?: string;
  readonly schema?: string;
  readonly routingUrl?: string;
  readonly subscriptionUrl?: string;
  readonly subscriptionProtocol?: string;
  readonly version?: string;
  readonly commit?: string;
  readonly remove?: boolean;
  readonly contract?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly config?: string;
  readonly operations?: readonly string[];
  readonly limits?: string;
  readonly approvals?: string;
  readonly composers?: Composers;
  readonly actor?: string;
}

/**
 * `trellis publish`: one subgraph or contract, the end of one, or a whole configuration.
 *
 * @throws PublicationRejected, RegistryError, FileProblems; Error with a system call for files
 */
export async function publishCommand(
  options: PublishOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const store = storeOf(options, env);
  assertHonoured(store, options);
  const change = await changeOf(options, env);
  const rules = await readRules(options);
  const running = await readRunningSubgraphs(options, env, async () =>
    askedSubgraphs(await openForReading(options, env), log, change.set, signal),
  );
  return withUnknown(running, async () => {
    if (!(store instanceof HttpStore)) {
      const { operations = [], limits, composers = 'both' } = options;
      const judgedBy = { rules, operations, limits, composers, running: running?.schemas };
      const access = await openForPublishing(options, env);
      return outcomeOfPublication(await publishRelease(access, log, { ...change, ...judgedBy }, signal));
    }
    await verifyByOwnTrust(options, env, [log], signal);
    const guards = sentGuards(running, rules);
    const body = { ...change, approvals: rules.approvals, composers: options.composers, ...guards };
    // At an address of its own: a server that knows no contracts would publish without them.
    const usual = change.contracts ? 'contract-publications' : 'publications';
    return submit(store, log, guardedAddress(usual, 'guarded-publications', guards), body, signal);
  });
}

/** What is said of a publication. */
export function outcomeOfPublication({
  outcome,
  head,
  report,
  sources,
  losses,
  contracts,
}: Publication): CommandOutcome {
  const { record } = head;
  const names = contracts.map(({ name }) => name);
  const others = names.length === 0 ? '' : `, contracts: ${names.join(', ')}`;
  const what = `${formatLogName(record)} ${record.sequence}, release ${shortDigest(record)}${others}`;
  return {
    exit: 0,
    lines: [outcome === 'unchanged' ? `already published: ${what}` : `published: ${what}`],
    document: {
      outcome: outcome === 'unchanged' ? 'already-published' : 'published',
      record: recordDocument(head),
      losses,
      contracts: names,
    },
    ...(report && outcome === 'appended' && { report: { report, sources } }),
  };
}

async function changeOf(options: PublishOptions, env: Environment): Promise<GraphPublication> {
  const { subgraph, contract, config } = options;
  if (contract !== undefined) return changeOfContract(contract, options);
  if (subgraph !== undefined) return changeOfSubgraph(subgraph, options, env);
  if (config !== undefined) return configured(config, options, env);
  throw new RegistryError(
    'INVALID_NAME',
    'Say what: --subgraph NAME --schema FILE, --contract NAME with --include or --exclude, or --config supergraph.yaml.',
  );
}

/** A contract alone: its team changes no subgraph. */
function changeOfContract(
  name: string,
  { subgraph, config, include = [], exclude = [], remove = false }: PublishOptions,
): GraphPublication {
  const wrong = (message: string): RegistryError => new RegistryError('INVALID_NAME', message);
  if (!isContractName(name))
    throw wrong(
      `${JSON.stringify(name)} is no name of a contract: a letter, then at most 63 letters, digits, _ or -.`,
    );
  if (subgraph !== undefined || config !== undefined)
    throw wrong('--contract NAME goes with neither --subgraph nor --config.');
  const isTagged = include.length > 0 || exclude.length > 0;
  if (isTagged === remove) throw wrong('--contract NAME needs --include TAG or --exclude TAG, or --remove.');
  const contracts: ContractsChange = remove
    ? { set: [], remove: [name], isWhole: false }
    : { set: [{ name, include, exclude }], remove: [], isWhole: false };
  return { set: [], remove: [], isWhole: false, contracts };
}

async function changeOfSubgraph(
  subgraph: string,
  options: PublishOptions,
  env: Environment,
): Promise<GraphPublication> {
  const { schema, remove = false } = options;
  if (remove) return { set: [], remove: [subgraph], isWhole: false };
  if (schema === undefined)
    throw new RegistryError('INVALID_NAME', '--subgraph NAME needs --schema FILE, or --remove.');
  const { routingUrl, subscriptionUrl, subscriptionProtocol } = options;
  const routing = { routingUrl, subscriptionUrl, subscriptionProtocol };
  const sdl = await readNamedFile(schema);
  return {
    set: [{ name: subgraph, sdl, source: schema, ...routing, ...buildOf(options, env) }],
    remove: [],
    isWhole: false,
  };
}

/** A file that says nothing of contracts leaves them as they are published. */
async function configured(
  file: string,
  options: PublishOptions,
  env: Environment,
): Promise<GraphPublication> {
  const config = await readSupergraphConfig(file);
  const loaded = await loadSubgraphs(config);
  if (loaded.kind === 'failed') throw new FileProblems(loaded.errors);
  const set = loaded.subgraphs.map((subgraph) => ({ ...subgraph, ...buildOf(options, env) }));
  const contracts = config.contracts && { set: config.contracts, remove: [], isWhole: true };
  return { set, remove: [], isWhole: true, contracts };
}

/** CI names the commit. */
function buildOf(
  { version, commit }: PublishOptions,
  env: Environment,
): Pick<SubgraphToPublish, 'version' | 'commit'> {
  return { version, commit: commit ?? env['GITHUB_SHA'] ?? env['CI_COMMIT_SHA'] };
}

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import {
  DEFAULT_CHECK_RULES,
  FileProblems,
  loadSubgraphs,
  readCheckRules,
  readSupergraphConfig,
  type CheckRules,
  type Composers,
} from '@trellis/composition';
import { formatLogName, HttpStore, RegistryError } from '@trellis/registry';
import {
  logOf,
  openForPublishing,
  storeOf,
  type Environment,
  type GraphOptions,
} from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { submit } from './submit.ts';
import { recordDocument, shortDigest } from './describe-record.ts';
import { publishRelease, type Publication, type SubgraphToPublish } from './publish-release.ts';
import { readRunningSubgraphs, type RunningOptions } from './running-subgraphs.ts';

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
  readonly config?: string;
  readonly operations?: readonly string[];
  readonly limits?: string;
  readonly approvals?: string;
  readonly composers?: Composers;
  readonly actor?: string;
}

/**
 * `trellis publish`: one subgraph, the end of one, or a whole configuration.
 *
 * @throws PublicationRejected, RegistryError, FileProblems; Error with a system call for files
 */
export async function publishCommand(
  options: PublishOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const change = await changeOf(options, env);
  const rules = await rulesOf(options);
  const store = storeOf(options, env);
  if (store instanceof HttpStore)
    return submit(
      store,
      log,
      'publications',
      { ...change, approvals: rules.approvals, composers: options.composers },
      signal,
    );
  const access = await openForPublishing(options, env);
  const publication = await publishRelease(
    access,
    log,
    {
      ...change,
      rules,
      operations: options.operations ?? [],
      limits: options.limits,
      composers: options.composers ?? 'both',
      running: (published) => readRunningSubgraphs(options, published),
    },
    signal,
  );
  return outcomeOfPublication(publication);
}

/** What is said of a publication. */
export function outcomeOfPublication({
  outcome,
  head,
  report,
  sources,
  losses,
}: Publication): CommandOutcome {
  const { record } = head;
  const what = `${formatLogName(record)} ${record.sequence}, release ${shortDigest(record)}`;
  return {
    exit: 0,
    lines: [outcome === 'unchanged' ? `already published: ${what}` : `published: ${what}`],
    document: {
      outcome: outcome === 'unchanged' ? 'already-published' : 'published',
      record: recordDocument(head),
      losses,
    },
    ...(report && outcome === 'appended' && { report: { report, sources } }),
  };
}

interface SubgraphChange {
  readonly set: readonly SubgraphToPublish[];
  readonly remove: readonly string[];
  readonly isWhole: boolean;
}

async function changeOf(options: PublishOptions, env: Environment): Promise<SubgraphChange> {
  const { subgraph, schema, remove = false, config } = options;
  if (subgraph === undefined) {
    if (config !== undefined)
      return { set: await configured(config, options, env), remove: [], isWhole: true };
    throw new RegistryError(
      'INVALID_NAME',
      'Say what: --subgraph NAME --schema FILE, or --config supergraph.yaml.',
    );
  }
  if (remove) return { set: [], remove: [subgraph], isWhole: false };
  if (schema === undefined)
    throw new RegistryError('INVALID_NAME', '--subgraph NAME needs --schema FILE, or --remove.');
  const { routingUrl, subscriptionUrl, subscriptionProtocol } = options;
  const routing = { routingUrl, subscriptionUrl, subscriptionProtocol };
  const sdl = await readFile(schema, 'utf8');
  return {
    set: [{ name: subgraph, sdl, source: schema, ...routing, ...buildOf(options, env) }],
    remove: [],
    isWhole: false,
  };
}

async function configured(
  file: string,
  options: PublishOptions,
  env: Environment,
): Promise<readonly SubgraphToPublish[]> {
  const loaded = await loadSubgraphs(await readSupergraphConfig(file));
  if (loaded.kind === 'failed') throw new FileProblems(loaded.errors);
  return loaded.subgraphs.map((subgraph) => ({ ...subgraph, ...buildOf(options, env) }));
}

/** CI names the commit. */
function buildOf(
  { version, commit }: PublishOptions,
  env: Environment,
): Pick<SubgraphToPublish, 'version' | 'commit'> {
  return { version, commit: commit ?? env['GITHUB_SHA'] ?? env['CI_COMMIT_SHA'] };
}

async function rulesOf({ approvals, config = '.' }: PublishOptions): Promise<CheckRules> {
  const usual = join(dirname(config), 'checks.yaml');
  const file = approvals ?? (existsSync(usual) ? usual : undefined);
  return file === undefined ? DEFAULT_CHECK_RULES : readCheckRules(file);
}

import {
  appendRecord,
  formatLogName,
  HttpStore,
  parseLogName,
  RegistryError,
  type Appended,
  type BlobReference,
  type LogName,
  type NextRecord,
  type RegistryRecord,
  type Variant,
  type VariantRule,
} from '@trellis/registry';
import type { Report } from '@trellis/composition';
import { readHeadGraph, readPublishedGraph } from '../registry/published-graph.ts';
import {
  logOf,
  openForPublishing,
  storeOf,
  type AppendOptions,
  type Environment,
  type SigningAccess,
} from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { recordDocument } from './describe-record.ts';
import { readRules } from '../supergraph/read-rules.ts';
import { checkPromotion, type PromotionChecks } from './check-promotion.ts';
import { approvalsOf } from './recorded-approvals.ts';
import { writeVerdict } from './write-verdict.ts';

/** The options of `trellis variant set`. */
export interface VariantOptions extends AppendOptions {
  readonly name: string;
  /** An environment of the same graph, or `graph@environment`. */
  readonly from?: string;
  readonly percent?: string;
  readonly aborts?: boolean;
  readonly host?: string;
  readonly claim?: string;
  readonly header?: string;
  readonly client?: readonly string[];
  /** The `gateway.yaml` in force. */
  readonly limits?: string;
  /** @default `checks.yaml` in the folder where the command runs */
  readonly approvals?: string;
}

/**
 * `trellis variant set`: the newest release of an environment for some of the requests. It is checked against what the others get.
 *
 * @throws PublicationRejected, RegistryError
 */
export async function setVariantCommand(
  options: VariantOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const rule = ruleOf(options);
  const access = await openDirectly(options, env);
  const given = await releaseOf(access, log, options, signal);
  const checks = { rules: await readRules({ approvals: options.approvals }), limits: options.limits };
  const appended = await appendRecord({ ...access, log, signal }, async (head) => {
    if (!head) throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no release yet.`);
    const { record } = head;
    const known = record.variants.find(({ name }) => name === options.name);
    const release = given ?? known?.release;
    if (!release)
      throw new RegistryError('INVALID_NAME', `Say what ${options.name} serves: --from ENVIRONMENT.`);
    const report = given && (await checkAgainst(access, log, [release, record.release], checks, signal));
    const verdict = await writeVerdict(access.store, report, signal);
    const variant: Variant = { name: options.name, release, rule, abortsItself: options.aborts === true };
    const at = known ? record.variants.indexOf(known) : record.variants.length;
    const variants = record.variants.toSpliced(at, 1, variant);
    return { ...nextOf(access, record, variants), approvals: approvalsOf(report), verdict };
  });
  return outcomeOf('set', options.name, appended);
}

/** `trellis variant remove`: all get the main version. @throws RegistryError */
export async function removeVariantCommand(
  options: AppendOptions & { readonly name: string },
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const access = await openDirectly(options, env);
  const appended = await appendRecord({ ...access, log, signal }, async (head) => {
    const left = head?.record.variants.filter(({ name }) => name !== options.name);
    if (!head || left?.length === head.record.variants.length)
      throw new RegistryError(
        'NOT_FOUND',
        `${formatLogName(log)} has no variant ${JSON.stringify(options.name)}.`,
      );
    return nextOf(access, head.record, left ?? []);
  });
  return outcomeOf('removed', options.name, appended);
}

/** A server over HTTP signs what teams publish; variants are set by who has the key. */
async function openDirectly(options: AppendOptions, env: Environment): Promise<SigningAccess> {
  const store = storeOf(options, env);
  if (store instanceof HttpStore)
    throw new RegistryError(
      'NO_RIGHT',
      'A registry over HTTP takes no variants yet: set them where its key is.',
    );
  return openForPublishing(options, env);
}

async function releaseOf(
  access: SigningAccess,
  log: LogName,
  { from }: VariantOptions,
  signal: AbortSignal,
): Promise<BlobReference | undefined> {
  if (from === undefined) return undefined;
  const source = parseLogName(from.includes('@') ? from : `${log.graph}@${from}`);
  const { head } = await readHeadGraph(access, source, signal);
  return head.record.release;
}

async function checkAgainst(
  { store }: SigningAccess,
  log: LogName,
  [release, main]: readonly [BlobReference, BlobReference],
  checks: PromotionChecks,
  signal: AbortSignal,
): Promise<Report> {
  const name = formatLogName(log);
  const [next, base] = [
    await readPublishedGraph(store, release, name, signal),
    await readPublishedGraph(store, main, name, signal),
  ];
  return checkPromotion(next, base, checks, log);
}

/** The action says that an operator has decided: gateways start again what has stopped itself. */
function nextOf(
  { actor }: SigningAccess,
  { release, routing }: RegistryRecord,
  variants: readonly Variant[],
): NextRecord {
  return { release, routing, variants, action: 'canary', actor, approvals: [] };
}

/** Just one rule. @throws RegistryError INVALID_NAME */
function ruleOf({ percent, host, claim, header, client = [], aborts }: VariantOptions): VariantRule {
  const rules: VariantRule[] = [];
  if (percent !== undefined) rules.push({ kind: 'percent', percent: percentOf(percent) });
  if (host !== undefined) rules.push({ kind: 'host', host });
  if (claim !== undefined) {
    const [name, value] = pairOf('--claim', claim);
    rules.push({ kind: 'claim', claim: name, value });
  }
  if (header !== undefined) {
    const [name, value] = pairOf('--header', header);
    rules.push({ kind: 'header', header: name.toLowerCase(), value, clients: client });
  }
  const [rule, ...others] = rules;
  if (!rule || others.length > 0)
    throw new RegistryError('INVALID_NAME', 'Say one of --percent, --host, --claim and --header.');
  if (aborts === true && rule.kind !== 'percent')
    throw new RegistryError(
      'INVALID_NAME',
      '--aborts goes with --percent: callers who choose a variant judge nothing.',
    );
  return rule;
}

function percentOf(text: string): number {
  const percent = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new RegistryError('INVALID_NAME', '--percent takes a number from 0 to 100.');
}

function pairOf(option: string, text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new RegistryError('INVALID_NAME', `${option} takes NAME=VALUE.`);
}

function outcomeOf(done: string, name: string, { head }: Appended): CommandOutcome {
  const { record } = head;
  const others = record.variants.map((variant) => variant.name).join(', ') || 'none';
  return {
    exit: 0,
    lines: [`variant ${name} ${done}: ${formatLogName(record)} ${record.sequence}, variants: ${others}`],
    document: { outcome: done, record: recordDocument(head) },
  };
}

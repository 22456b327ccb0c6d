import { HttpStore, RegistryError, type VariantRule } from '@trellis/registry';
import {
  logOf,
  openForPublishing,
  storeOf,
  type AppendOptions,
  type Environment,
} from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { assertHonoured, verifyByOwnTrust } from './options-over-http.ts';
import { readRules } from '../supergraph/read-rules.ts';
import { removeVariant, setVariant, sourceOf } from './set-variant.ts';
import { submit } from './submit.ts';

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
  const { name, from, aborts: abortsItself = false, approvals, limits } = options;
  const request = { name, from, rule: ruleOf(options), abortsItself };
  const store = storeOf(options, env);
  assertHonoured(store, options);
  const rules = await readRules({ approvals });
  if (!(store instanceof HttpStore))
    return setVariant(await openForPublishing(options, env), log, request, { rules, limits }, signal);
  await verifyByOwnTrust(options, env, from === undefined ? [log] : [log, sourceOf(log, from)], signal);
  const { approvals: accepted, ...others } = rules;
  return submit(store, log, 'variants', { set: request, approvals: accepted, rules: others }, signal);
}

/** `trellis variant remove`: all get the main version. @throws RegistryError */
export async function removeVariantCommand(
  options: AppendOptions & { readonly name: string },
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const { name } = options;
  const store = storeOf(options, env);
  assertHonoured(store, options);
  if (!(store instanceof HttpStore))
    return removeVariant(await openForPublishing(options, env), log, name, signal);
  await verifyByOwnTrust(options, env, [log], signal);
  return submit(store, log, 'variants', { remove: name }, signal);
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

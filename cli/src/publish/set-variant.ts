import type { Report } from '@trellis/composition';
import {
  appendRecord,
  assertDeclarable,
  formatLogName,
  MAX_VARIANTS,
  parseLogName,
  RegistryError,
  type Appended,
  type BlobReference,
  type DeclaredVariant,
  type LogName,
  type NextRecord,
  type RegistryRecord,
  type Variant,
} from '@trellis/registry';
import { readHeadGraph, readPublishedGraph } from '../registry/published-graph.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { recordDocument } from './describe-record.ts';
import { checkPromotion, type PromotionChecks } from './check-promotion.ts';
import { approvalsOf } from './recorded-approvals.ts';
import { writeVerdict } from './write-verdict.ts';

/** A variant that is to be set. */
export interface VariantRequest extends DeclaredVariant {
  /** An environment of the same graph, or `graph@environment`, whose newest release it serves. @default the release that it has */
  readonly from?: string | undefined;
}

/**
 * Appends a record with a variant, new or changed. Another release is checked against what the others get.
 *
 * @throws PublicationRejected; RegistryError, INVALID_NAME before anything is compared, TOO_MANY_VARIANTS where a gateway would leave it out
 */
export async function setVariant(
  access: SigningAccess,
  log: LogName,
  { from, ...declared }: VariantRequest,
  checks: PromotionChecks,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  assertDeclarable(declared);
  const given = await releaseOf(access, log, from, signal);
  const appended = await appendRecord({ ...access, log, signal }, async (head) => {
    if (!head) throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no release yet.`);
    const { record } = head;
    const known = record.variants.find(({ name }) => name === declared.name);
    if (!known) assertRoom(log, record.variants);
    const release = given ?? known?.release;
    if (!release)
      throw new RegistryError('INVALID_NAME', `Say what ${declared.name} serves: --from ENVIRONMENT.`);
    const report = given && (await checkAgainst(access, log, [release, record.release], checks, signal));
    const verdict = await writeVerdict(access.store, report, signal);
    const at = known ? record.variants.indexOf(known) : record.variants.length;
    const variants = record.variants.toSpliced(at, 1, { ...declared, release });
    return { ...nextOf(access, record, variants), approvals: approvalsOf(report), verdict };
  });
  return outcomeOf('set', declared.name, appended);
}

/** A gateway would leave out one more. @throws RegistryError TOO_MANY_VARIANTS */
function assertRoom(log: LogName, variants: readonly Variant[]): void {
  if (variants.length < MAX_VARIANTS) return;
  const names = variants.map(({ name }) => name).join(', ');
  throw new RegistryError(
    'TOO_MANY_VARIANTS',
    `${formatLogName(log)} has ${MAX_VARIANTS} variants, as many as a gateway serves at once: ${names}. End one first.`,
  );
}

/** Appends a record without a variant: all get the main version. @throws RegistryError */
export async function removeVariant(
  access: SigningAccess,
  log: LogName,
  name: string,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const appended = await appendRecord({ ...access, log, signal }, async (head) => {
    const left = head?.record.variants.filter((variant) => variant.name !== name);
    if (!head || left?.length === head.record.variants.length)
      throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no variant ${JSON.stringify(name)}.`);
    return nextOf(access, head.record, left ?? []);
  });
  return outcomeOf('removed', name, appended);
}

/** The log whose release a variant serves. @param from an environment of the same graph, or `graph@environment`. @throws RegistryError INVALID_NAME */
export function sourceOf(log: LogName, from: string): LogName {
  return parseLogName(from.includes('@') ? from : `${log.graph}@${from}`);
}

async function releaseOf(
  access: SigningAccess,
  log: LogName,
  from: string | undefined,
  signal: AbortSignal,
): Promise<BlobReference | undefined> {
  if (from === undefined) return undefined;
  const { head } = await readHeadGraph(access, sourceOf(log, from), signal);
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

function outcomeOf(done: string, name: string, { head }: Appended): CommandOutcome {
  const { record } = head;
  const others = record.variants.map((variant) => variant.name).join(', ') || 'none';
  return {
    exit: 0,
    lines: [`variant ${name} ${done}: ${formatLogName(record)} ${record.sequence}, variants: ${others}`],
    document: { outcome: done, record: recordDocument(head) },
  };
}

import { RegistryError, type HttpStore, type LogName } from '@trellis/registry';
import type { Report } from '@trellis/composition';
import type { CommandOutcome } from './command-outcome.ts';

/** An outcome as a server sends it. */
export interface OutcomeOnWire {
  readonly exit: number;
  readonly lines: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
  readonly report?: Report | undefined;
  /** Texts that the report has places in. */
  readonly sources?: Readonly<Record<string, string>> | undefined;
}

/** What a server sends of an outcome. */
export function toWire({ exit, lines, document, report }: CommandOutcome): OutcomeOnWire {
  return {
    exit,
    lines,
    document,
    ...(report && { report: report.report, sources: Object.fromEntries(report.sources) }),
  };
}

/** A change, as addresses of a server name it. */
export type SubmittedChange =
  | 'publications'
  | 'contract-publications'
  | 'guarded-publications'
  | 'promotions'
  | 'guarded-promotions'
  | 'rollbacks'
  | 'guarded-rollbacks'
  | 'variants'
  | 'keys'
  | 'garbage-collections';

const DID_NOT_SAY = 'did not say what came of it.';
const NO_GUARDS = 'knows no guards and rules of who asks: update the server. Nothing was changed.';
/** What is said of a server that sends no outcome: one that lacks the address has changed nothing. */
const UNKNOWN: Readonly<Record<SubmittedChange, string>> = {
  publications: DID_NOT_SAY,
  'contract-publications': 'knows no contracts: update the server. Nothing was published.',
  'guarded-publications': NO_GUARDS,
  promotions: DID_NOT_SAY,
  'guarded-promotions': NO_GUARDS,
  rollbacks: DID_NOT_SAY,
  'guarded-rollbacks': NO_GUARDS,
  variants: 'takes no variants yet: update the server. Nothing was changed.',
  keys: 'replaces no keys yet: update the server. Nothing was changed.',
  'garbage-collections': 'deletes no texts yet: update the server. Nothing was changed.',
};

/**
 * Has a server make a change.
 *
 * @param log undefined for what is of the whole registry
 * @throws RegistryError with the code that it names
 */
export async function submit(
  store: HttpStore,
  log: LogName | undefined,
  what: SubmittedChange,
  body: object,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const sent = (await store.submit(log, what, body, signal)) as Partial<OutcomeOnWire> | null; // judged here
  const { exit, lines, document, report, sources = {} } = sent ?? {};
  if (typeof exit !== 'number' || !Array.isArray(lines) || typeof document !== 'object')
    throw new RegistryError('STORE_UNAVAILABLE', `${store.description} ${UNKNOWN[what]}`);
  return {
    exit,
    lines: lines.map(String),
    document,
    ...(report && { report: { report, sources: new Map(Object.entries(sources)) } }),
  };
}

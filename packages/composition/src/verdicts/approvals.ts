import { readFile } from 'node:fs/promises';
import { isMap, isSeq } from 'yaml';
import { z } from 'zod';
import { changeKinds } from '../changes/change-kinds.ts';
import type { ContractRules } from '../contracts/contract-rules.ts';
import { ownCodes, type Diagnostic, type SourceLocation } from '../diagnostic.ts';
import { FileProblems } from '../file-problems.ts';
import { parseYamlDocument, type YamlDocument } from '../yaml-document.ts';

/** Someone has accepted a change. */
export interface Approval {
  /** `CODE coordinate`. */
  readonly change: string;
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it counts: `2026-12-31`. */
  readonly expires: string;
  /** Whether it is known that more is shown than before. */
  readonly exposure?: boolean | undefined;
  readonly location: SourceLocation;
}

/** A `checks.yaml`: what teams have agreed on about changes of their graph. */
export interface CheckRules {
  readonly approvals: readonly Approval[];
  readonly excludedClients: readonly string[];
  /** Operations that no client has sent for so long are not in use. */
  readonly usagePeriodDays: number;
  readonly contracts: readonly ContractRules[];
}

/** What holds without a file. */
export const DEFAULT_CHECK_RULES: CheckRules = Object.freeze({
  approvals: [],
  excludedClients: [],
  usagePeriodDays: 30,
  contracts: [],
});

const MAX_APPROVAL_DAYS = 90;
const DAY_MS = 86_400_000;

const approval = z.strictObject({
  change: z.string().regex(/^[A-Z_]+ \S.*$/, 'must be a code and a coordinate: FIELD_REMOVED User.bio'),
  reason: z.string().min(1, 'must say why'),
  owner: z.string().min(1, 'must name who answers for it'),
  expires: z.iso.date('must be a day: 2026-12-31'),
  exposure: z.boolean().optional(),
});

const tagName = z.string().min(1);
const rulesSchema = z.strictObject({
  approvals: z.array(approval).default([]),
  excludedClients: z.array(z.string()).default([]),
  usagePeriodDays: z.int().min(1).max(366).default(DEFAULT_CHECK_RULES.usagePeriodDays),
  contracts: z
    .record(
      z.string().regex(/^[A-Za-z][\w-]{0,63}$/),
      z.strictObject({ include: z.array(tagName).default([]), exclude: z.array(tagName).default([]) }),
    )
    .default({}),
});

/**
 * Reads a `checks.yaml`.
 *
 * @throws FileProblems with every problem and its line
 */
export async function readCheckRules(file: string): Promise<CheckRules> {
  const document = parseYamlDocument(await readFile(file, 'utf8'), file);
  const { problems, value } = document;
  if (problems.length > 0)
    throw new FileProblems(problems.map(({ message, location }) => invalid(message, location)));
  const parsed = rulesSchema.safeParse(value ?? {});
  if (!parsed.success)
    throw new FileProblems(
      parsed.error.issues.map(({ path, message }) =>
        invalid(`${path.join('.') || 'the file'} ${message}`, locate(document, path)),
      ),
    );
  return toRules(parsed.data, document);
}

function toRules(
  { approvals, contracts, ...rest }: z.infer<typeof rulesSchema>,
  document: YamlDocument,
): CheckRules {
  return {
    ...rest,
    approvals: approvals.map((one, index) => ({ ...one, location: locate(document, ['approvals', index]) })),
    contracts: Object.entries(contracts).map(([name, tags]) => ({ name, ...tags })),
  };
}

function invalid(message: string, location: SourceLocation): Diagnostic {
  return { code: ownCodes.INVALID_APPROVAL, message, locations: [location] };
}

/** Where the node at a path begins, or the nearest one around it. */
function locate({ nodes, locationAt }: YamlDocument, path: readonly PropertyKey[]): SourceLocation {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = nodes.getIn(path.slice(0, length), true);
    if (isMap(node) || isSeq(node)) return locationAt(node.range?.[0]);
    const scalar = node as { readonly range?: readonly number[] } | undefined;
    if (scalar?.range) return locationAt(scalar.range[0]);
  }
  return locationAt();
}

/** What becomes of approvals with changes that would fail a check. */
export interface AppliedApprovals {
  /** By `CODE coordinate`. */
  readonly inForce: ReadonlyMap<string, Approval>;
  /** Entries without an effect: expired, unknown, or of no change. */
  readonly problems: readonly Diagnostic[];
}

/** A change as approvals name it. */
export interface Approvable {
  readonly code: string;
  readonly coordinate: string;
  readonly isExposure: boolean;
}

/** The text by which approvals name a change. */
export function approvalKey({ code, coordinate }: Pick<Approvable, 'code' | 'coordinate'>): string {
  return `${code} ${coordinate}`;
}

/** Matches approvals with changes, by kind and coordinate. An exposure has to be named as one. */
export function applyApprovals(
  approvals: readonly Approval[],
  changes: readonly Approvable[],
  now: Date,
): AppliedApprovals {
  const byKey = new Map(changes.map((change) => [approvalKey(change), change]));
  const inForce = new Map<string, Approval>();
  const problems: Diagnostic[] = [];
  for (const one of approvals) {
    const problem = problemOf(one, byKey.get(one.change), now);
    if (problem === undefined) inForce.set(one.change, one);
    else problems.push(invalid(`${one.change}: ${problem}`, one.location));
  }
  return { inForce, problems };
}

function problemOf(one: Approval, change: Approvable | undefined, now: Date): string | undefined {
  const code = one.change.split(' ')[0] ?? '';
  if (!Object.hasOwn(changeKinds, code)) return `there is no kind of change "${code}".`;
  const endsAt = Date.parse(one.expires) + DAY_MS;
  if (endsAt <= now.getTime()) return `the approval expired on ${one.expires}.`;
  if (endsAt > now.getTime() + (MAX_APPROVAL_DAYS + 1) * DAY_MS)
    return `the approval would last longer than ${MAX_APPROVAL_DAYS} days.`;
  if (!change) return 'there is no such change: remove the approval.';
  if (change.isExposure && one.exposure !== true)
    return 'it shows more than before: the approval has to say exposure: true.';
  return undefined;
}

import {
  callerTermsOf,
  letsInAllOf,
  namesPolicy,
  type CallerTerms,
  type RightsRequirement,
} from './caller-terms.ts';
import type { ChangeCode } from './change-kinds.ts';
import { changeOf, type Change } from './change.ts';
import type { ReadGraph } from './graph-meaning.ts';
import { fieldsOfBoth } from './visible-coordinates.ts';

/** Compares who may read each field, with all that the gateway adds up for it. */
export function compareRights(before: ReadGraph, after: ReadGraph): readonly Change[] {
  const former = before.meaning.rights;
  const latter = after.meaning.rights;
  return [...fieldsOfBoth(before.apiSchema, after.apiSchema)].flatMap(([type, names]) => {
    const changes = names.flatMap((name) => {
      const coordinate = `${type}.${name}`;
      return compareOne(coordinate, former.get(coordinate), latter.get(coordinate));
    });
    return asOneOfType(type, names.length, changes);
  });
}

/** Where all fields of a type change in one way, its type is what changed. */
function asOneOfType(type: string, fields: number, changes: readonly Change[]): readonly Change[] {
  const [first] = changes;
  if (!first || changes.length < 2 || changes.length < fields) return changes;
  const text = ({ code, message, coordinate }: Change): string => code + message.replaceAll(coordinate, '');
  if (changes.some((change) => text(change) !== text(first))) return changes;
  return [
    {
      ...first,
      coordinate: type,
      message: first.message.replaceAll(first.coordinate, type),
      uses: changes.map(({ coordinate }) => coordinate),
    },
  ];
}

function compareOne(
  coordinate: string,
  before: RightsRequirement | undefined,
  after: RightsRequirement | undefined,
): readonly Change[] {
  const callers = { before: callerTermsOf(before), after: callerTermsOf(after) };
  const isOpened = letsInAllOf(callers.before, callers.after);
  const isClosed = letsInAllOf(callers.after, callers.before);
  if (isOpened && isClosed) return [];
  const code = codeOf(callers, isOpened, isClosed);
  const message = `${coordinate} needs ${describe(callers.after)} now; it needed ${describe(callers.before)}.`;
  return [changeOf(code, coordinate, message, { callers })];
}

interface Callers {
  readonly before: CallerTerms;
  readonly after: CallerTerms;
}

/** @param isOpened all from before are let in after @param isClosed all of after were let in before */
function codeOf({ before, after }: Callers, isOpened: boolean, isClosed: boolean): ChangeCode {
  const isPolicy = namesPolicy(before) !== namesPolicy(after);
  if (isOpened) {
    if (isPolicy) return 'POLICY_REMOVED';
    return isForAll(after) ? 'RIGHTS_REMOVED' : 'RIGHTS_LOOSENED';
  }
  if (!isClosed) return 'RIGHTS_REPLACED';
  if (namesPolicy(after)) return 'POLICY_ADDED';
  return isForAll(before) ? 'RIGHTS_ADDED' : 'RIGHTS_TIGHTENED';
}

/** What a caller needs, in words: `scope a and scope b, or policy c`. */
export function describeRights(requirement: RightsRequirement): string {
  return describe(callerTermsOf(requirement));
}

function isForAll(terms: CallerTerms): boolean {
  return terms?.some((term) => term.size === 0) ?? false;
}

/** `nothing`, `a token`, `scope a and scope b, or policy c`. */
function describe(terms: CallerTerms): string {
  if (!terms) return 'one of many sets of names';
  if (terms.length === 0) return 'what no caller has';
  if (isForAll(terms)) return 'nothing';
  return terms.map(describeTerm).join(', or ');
}

function describeTerm(term: ReadonlySet<string>): string {
  const names = [...term].filter((name) => name !== 'token').map((name) => name.replace(':', ' '));
  return names.length === 0 ? 'a token' : names.toSorted().join(' and ');
}

import { changeOf, type Change, type ChangeDetails } from './change.ts';
import type { ChangeCode } from './change-kinds.ts';
import type { ListSizeHint, ReadGraph } from './graph-meaning.ts';
import { isVisible } from './visible-coordinates.ts';

/** Compares what the schemas say of costs, lengths of lists and depth. */
export function compareCosts(before: ReadGraph, after: ReadGraph): readonly Change[] {
  const [former, latter] = [before.meaning, after.meaning];
  const changes = [
    ...compareEach(former.weights, latter.weights, compareWeight),
    ...compareEach(former.listSizes, latter.listSizes, compareListSize),
    ...compareEach(former.depthAllowances, latter.depthAllowances, compareAllowance),
  ];
  return changes.filter(
    ({ coordinate }) => isVisible(before.apiSchema, coordinate) && isVisible(after.apiSchema, coordinate),
  );
}

function compareEach<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
  compare: (coordinate: string, before: Value | undefined, after: Value | undefined) => readonly Change[],
): readonly Change[] {
  const coordinates = new Set([...before.keys(), ...after.keys()]);
  return [...coordinates].flatMap((coordinate) =>
    compare(coordinate, before.get(coordinate), after.get(coordinate)),
  );
}

/** What the settings say where the schema says nothing: a field costs one, an argument nothing. */
function compareWeight(
  coordinate: string,
  before: number | undefined,
  after: number | undefined,
): readonly Change[] {
  if (before === after) return [];
  const usual = coordinate.includes('(') ? 0 : 1;
  const code: ChangeCode = (after ?? usual) >= (before ?? usual) ? 'COST_RAISED' : 'COST_LOWERED';
  const message = `${coordinate} costs ${after ?? 'what settings say'} now; it cost ${before ?? 'what settings say'}.`;
  return [changeOf(code, coordinate, message)];
}

function compareListSize(
  coordinate: string,
  before: ListSizeHint | undefined,
  after: ListSizeHint | undefined,
): readonly Change[] {
  const [was, is] = [describeSize(before), describeSize(after)];
  if (was === is) return [];
  return [changeOf('LIST_SIZE_CHANGED', coordinate, `${coordinate} has ${is} now; it had ${was}.`)];
}

function describeSize(hint: ListSizeHint | undefined): string {
  if (!hint) return 'no @listSize';
  const { assumedSize, slicingArguments, sizedFields } = hint;
  const parts = [
    ...(assumedSize === undefined ? [] : [`assumedSize ${assumedSize}`]),
    ...(slicingArguments.length === 0 ? [] : [`slicingArguments ${slicingArguments.join(' ')}`]),
    ...(sizedFields.length === 0 ? [] : [`sizedFields ${sizedFields.join(' ')}`]),
  ];
  return `@listSize (${parts.join(', ')})`;
}

function compareAllowance(
  coordinate: string,
  before: number | undefined,
  after: number | undefined,
): readonly Change[] {
  if (before === after) return [];
  const message = `${coordinate} allows ${after ?? 0} more levels of depth now; it allowed ${before ?? 0}.`;
  return [changeOf('DEPTH_ALLOWANCE_CHANGED', coordinate, message)];
}

/** Compares the limits in force before and after. */
export function compareLimits(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): readonly Change[] {
  const everyOperation: ChangeDetails = { uses: [] };
  return Object.keys(after).flatMap((name) => {
    const [was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY] = [before[name], after[name]];
    if (is >= was) return [];
    const message = `limits.${name} is ${is} now; it was ${was === Number.POSITIVE_INFINITY ? 'off' : was}.`;
    return [changeOf('LIMIT_LOWERED', `limits.${name}`, message, everyOperation)];
  });
}

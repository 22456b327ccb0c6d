import type { GraphQLEnumType, GraphQLEnumValue } from 'graphql';
import { changeOf, type Change } from './change.ts';

/**
 * Compares the values of an enum.
 *
 * @param isReceived whether clients receive it, before or after
 * @param isSent whether clients might send it before
 */
export function compareEnums(
  before: GraphQLEnumType,
  after: GraphQLEnumType,
  isReceived: boolean,
  isSent: boolean,
): readonly Change[] {
  const { name } = before;
  const added = after.getValues().filter((value) => !before.getValue(value.name));
  return [
    ...before.getValues().flatMap((value) => compareValue(name, value, after.getValue(value.name), isSent)),
    ...added.map((value) => addedValue(name, value.name, isReceived)),
  ];
}

function compareValue(
  type: string,
  { name, deprecationReason }: GraphQLEnumValue,
  after: GraphQLEnumValue | null | undefined,
  isSent: boolean,
): readonly Change[] {
  const coordinate = `${type}.${name}`;
  if (!after) return [removedValue(type, coordinate, isSent)];
  const wasDeprecated = typeof deprecationReason === 'string';
  if (wasDeprecated || typeof after.deprecationReason !== 'string') return [];
  return [
    changeOf('VALUE_DEPRECATED', coordinate, `${coordinate} was deprecated: ${after.deprecationReason}.`),
  ];
}

function removedValue(type: string, coordinate: string, isSent: boolean): Change {
  const message = `${coordinate} was removed.`;
  return isSent
    ? changeOf('VALUE_REMOVED_FROM_ENUM', coordinate, message, { input: type })
    : changeOf('VALUE_REMOVED_FROM_OUTPUT_ENUM', coordinate, message, { uses: [type] });
}

function addedValue(type: string, value: string, isReceived: boolean): Change {
  const coordinate = `${type}.${value}`;
  const code = isReceived ? 'VALUE_ADDED_TO_ENUM' : 'VALUE_ADDED_TO_INPUT_ENUM';
  return changeOf(code, coordinate, `${coordinate} was added.`, { uses: [type] });
}

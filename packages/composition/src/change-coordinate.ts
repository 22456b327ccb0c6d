import { BreakingChangeType, DangerousChangeType } from 'graphql';

/** The kinds of change that graphql-js distinguishes. */
export type ChangeType = BreakingChangeType | DangerousChangeType;

/**
 * The schema coordinate that a change is about: `Post.comments(limit:)`, `UserRole.ADMIN`, `@tag`. graphql-js names it
 * in its sentence alone, so it is read from there; a test pins the sentence of every kind of change.
 *
 * @see https://spec.graphql.org/draft/#sec-Schema-Coordinates
 */
export function changeCoordinate(type: ChangeType, description: string): string {
  const { sentence, coordinate } = patterns[type];
  const parts = sentence.exec(description)?.groups ?? {};
  return coordinate.replaceAll(/<(\w+)>/g, (_placeholder, part: string) => parts[part] ?? '');
}

interface CoordinatePattern {
  readonly sentence: RegExp;
  /** `<part>` stands for the group of that name. */
  readonly coordinate: string;
}

const fieldFirst: CoordinatePattern = { sentence: /^(?<field>\w+\.\w+) /, coordinate: '<field>' };
const typeFirst: CoordinatePattern = { sentence: /^(?<type>\w+) /, coordinate: '<type>' };
const typeLast: CoordinatePattern = { sentence: / (?<type>\w+)\.$/, coordinate: '<type>' };
const argumentOfField: CoordinatePattern = {
  sentence: /^(?<field>\w+\.\w+) arg (?<arg>\w+) /,
  coordinate: '<field>(<arg>:)',
};
const addedArgument: CoordinatePattern = {
  sentence: / arg (?<arg>\w+) on (?<field>\w+\.\w+) /,
  coordinate: '<field>(<arg>:)',
};
const addedInputField: CoordinatePattern = {
  sentence: / field (?<field>\w+) on input type (?<type>\w+) /,
  coordinate: '<type>.<field>',
};
const enumValue: CoordinatePattern = {
  sentence: /^(?<value>\w+) was .* enum type (?<type>\w+)\.$/,
  coordinate: '<type>.<value>',
};
const directiveLast: CoordinatePattern = { sentence: / (?<directive>\w+)\.$/, coordinate: '@<directive>' };

const patterns: Readonly<Record<ChangeType, CoordinatePattern>> = {
  [BreakingChangeType.TYPE_REMOVED]: {
    sentence: /^(?:Standard scalar )?(?<type>\w+) was removed/,
    coordinate: '<type>',
  },
  [BreakingChangeType.TYPE_CHANGED_KIND]: typeFirst,
  [BreakingChangeType.TYPE_REMOVED_FROM_UNION]: typeLast,
  [BreakingChangeType.VALUE_REMOVED_FROM_ENUM]: enumValue,
  [BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED]: addedInputField,
  [BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED]: typeFirst,
  [BreakingChangeType.FIELD_REMOVED]: fieldFirst,
  [BreakingChangeType.FIELD_CHANGED_KIND]: fieldFirst,
  [BreakingChangeType.REQUIRED_ARG_ADDED]: addedArgument,
  [BreakingChangeType.ARG_REMOVED]: argumentOfField,
  [BreakingChangeType.ARG_CHANGED_KIND]: argumentOfField,
  [BreakingChangeType.DIRECTIVE_REMOVED]: { sentence: /^(?<directive>\w+) was/, coordinate: '@<directive>' },
  [BreakingChangeType.DIRECTIVE_ARG_REMOVED]: {
    sentence: /^(?<arg>\w+) was removed from (?<directive>\w+)\.$/,
    coordinate: '@<directive>(<arg>:)',
  },
  [BreakingChangeType.REQUIRED_DIRECTIVE_ARG_ADDED]: {
    sentence: / arg (?<arg>\w+) on directive (?<directive>\w+) /,
    coordinate: '@<directive>(<arg>:)',
  },
  [BreakingChangeType.DIRECTIVE_REPEATABLE_REMOVED]: directiveLast,
  [BreakingChangeType.DIRECTIVE_LOCATION_REMOVED]: directiveLast,
  [DangerousChangeType.VALUE_ADDED_TO_ENUM]: enumValue,
  [DangerousChangeType.TYPE_ADDED_TO_UNION]: typeLast,
  [DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED]: addedInputField,
  [DangerousChangeType.OPTIONAL_ARG_ADDED]: addedArgument,
  [DangerousChangeType.IMPLEMENTED_INTERFACE_ADDED]: typeLast,
  [DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE]: argumentOfField,
};

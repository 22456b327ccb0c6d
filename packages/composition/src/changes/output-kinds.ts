import type { ChangeKind } from './change-kind.ts';

const DEPRECATE = 'Deprecate it first, and remove it when no client uses it.';
const NOTHING = 'Nothing.';
const UNKNOWN_CASE = 'See that clients have a case for what they do not know.';
const OPTIONAL = 'Make it optional, or give it a default.';
const NEW_ONE = 'Add a new one under another name, and deprecate this one.';

/** Codes of changes of types, of what they return, and of directives. */
export type OutputCode =
  | 'TYPE_REMOVED'
  | 'TYPE_ADDED'
  | 'TYPE_CHANGED_KIND'
  | 'FIELD_REMOVED'
  | 'FIELD_ADDED'
  | 'FIELD_CHANGED_KIND'
  | 'FIELD_BECAME_NULLABLE'
  | 'FIELD_BECAME_NON_NULL'
  | 'FIELD_DEPRECATED'
  | 'FIELD_NO_LONGER_DEPRECATED'
  | 'VALUE_REMOVED_FROM_ENUM'
  | 'VALUE_REMOVED_FROM_OUTPUT_ENUM'
  | 'VALUE_ADDED_TO_ENUM'
  | 'VALUE_ADDED_TO_INPUT_ENUM'
  | 'VALUE_DEPRECATED'
  | 'TYPE_REMOVED_FROM_UNION'
  | 'TYPE_ADDED_TO_UNION'
  | 'IMPLEMENTED_INTERFACE_REMOVED'
  | 'IMPLEMENTED_INTERFACE_ADDED'
  | 'DIRECTIVE_REMOVED'
  | 'DIRECTIVE_ADDED'
  | 'DIRECTIVE_ARG_REMOVED'
  | 'REQUIRED_DIRECTIVE_ARG_ADDED'
  | 'OPTIONAL_DIRECTIVE_ARG_ADDED'
  | 'DIRECTIVE_REPEATABLE_REMOVED'
  | 'DIRECTIVE_LOCATION_REMOVED'
  | 'DIRECTIVE_LOCATION_ADDED'
  | 'SCALAR_SPECIFICATION_CHANGED';

/** Every kind of change of types, of what they return, and of directives, by its code. */
export const outputKinds: Readonly<Record<OutputCode, ChangeKind>> = {
  TYPE_REMOVED: {
    meaning: 'A type was removed',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  TYPE_ADDED: { meaning: 'A type was added', action: NOTHING, verdict: 'safe', withUsage: 'always' },
  TYPE_CHANGED_KIND: {
    meaning: 'A type became one of another kind, as an object type an enum',
    action: NEW_ONE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  FIELD_REMOVED: {
    meaning: 'A field was removed, or became @inaccessible',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  FIELD_ADDED: { meaning: 'A field was added', action: NOTHING, verdict: 'safe', withUsage: 'always' },
  FIELD_CHANGED_KIND: {
    meaning: 'A field returns another type',
    action: NEW_ONE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  FIELD_BECAME_NULLABLE: {
    meaning: 'A field, or an element of its list, may be null now',
    action: 'Leave it non-null, or add a nullable field under another name.',
    verdict: 'breaking',
    withUsage: 'used',
  },
  FIELD_BECAME_NON_NULL: {
    meaning: 'A field, or an element of its list, is never null now',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  FIELD_DEPRECATED: {
    meaning: 'A field was deprecated',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  FIELD_NO_LONGER_DEPRECATED: {
    meaning: 'A field is not deprecated any more',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  VALUE_REMOVED_FROM_ENUM: {
    meaning: 'A value was removed from an enum that clients send',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  VALUE_REMOVED_FROM_OUTPUT_ENUM: {
    meaning: 'A value was removed from an enum that clients only receive',
    action: 'See that no client waits for it.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
  VALUE_ADDED_TO_ENUM: {
    meaning: 'A value was added to an enum that clients receive',
    action: UNKNOWN_CASE,
    verdict: 'dangerous',
    withUsage: 'used',
  },
  VALUE_ADDED_TO_INPUT_ENUM: {
    meaning: 'A value was added to an enum that clients only send',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  VALUE_DEPRECATED: {
    meaning: 'A value of an enum was deprecated',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  TYPE_REMOVED_FROM_UNION: {
    meaning: 'A type was removed from a union',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  TYPE_ADDED_TO_UNION: {
    meaning: 'A type was added to a union',
    action: UNKNOWN_CASE,
    verdict: 'dangerous',
    withUsage: 'used',
  },
  IMPLEMENTED_INTERFACE_REMOVED: {
    meaning: 'A type does not implement an interface any more',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  IMPLEMENTED_INTERFACE_ADDED: {
    meaning: 'A type implements one more interface',
    action: UNKNOWN_CASE,
    verdict: 'dangerous',
    withUsage: 'used',
  },
  DIRECTIVE_REMOVED: {
    meaning: 'A directive for operations was removed',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  DIRECTIVE_ADDED: {
    meaning: 'A directive for operations was added',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  DIRECTIVE_ARG_REMOVED: {
    meaning: 'An argument of a directive for operations was removed',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  REQUIRED_DIRECTIVE_ARG_ADDED: {
    meaning: 'A required argument was added to a directive for operations',
    action: OPTIONAL,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  OPTIONAL_DIRECTIVE_ARG_ADDED: {
    meaning: 'An optional argument was added to a directive for operations',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  DIRECTIVE_REPEATABLE_REMOVED: {
    meaning: 'A directive for operations may not be repeated any more',
    action: 'Leave it repeatable.',
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  DIRECTIVE_LOCATION_REMOVED: {
    meaning: 'A directive for operations may not stand at a place any more',
    action: 'Leave the location.',
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  DIRECTIVE_LOCATION_ADDED: {
    meaning: 'A directive for operations may stand at one more place',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  SCALAR_SPECIFICATION_CHANGED: {
    meaning: 'A scalar has another @specifiedBy',
    action: 'Ask the clients that read or write its values.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
};

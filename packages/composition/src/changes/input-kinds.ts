import type { ChangeKind } from './change-kind.ts';

const DEPRECATE = 'Deprecate it first, and remove it when no client uses it.';
const NOTHING = 'Nothing.';
const OPTIONAL = 'Make it optional, or give it a default.';
const NEW_ONE = 'Add a new one under another name, and deprecate this one.';

/** Codes of changes of what clients send: arguments and input types. */
export type InputCode =
  | 'ARG_REMOVED'
  | 'REQUIRED_ARG_ADDED'
  | 'OPTIONAL_ARG_ADDED'
  | 'ARG_CHANGED_KIND'
  | 'ARG_BECAME_REQUIRED'
  | 'ARG_BECAME_OPTIONAL'
  | 'ARG_DEFAULT_VALUE_CHANGE'
  | 'DEFAULT_OF_REQUIRED_REMOVED'
  | 'INPUT_FIELD_REMOVED'
  | 'REQUIRED_INPUT_FIELD_ADDED'
  | 'OPTIONAL_INPUT_FIELD_ADDED'
  | 'INPUT_FIELD_CHANGED_KIND'
  | 'INPUT_FIELD_BECAME_REQUIRED'
  | 'INPUT_FIELD_BECAME_OPTIONAL'
  | 'INPUT_FIELD_DEFAULT_CHANGED'
  | 'INPUT_DEPRECATED'
  | 'ONE_OF_ADDED'
  | 'ONE_OF_REMOVED';

/** Every kind of change of what clients send, by its code: arguments and input types. */
export const inputKinds: Readonly<Record<InputCode, ChangeKind>> = {
  ARG_REMOVED: {
    meaning: 'An argument was removed',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  REQUIRED_ARG_ADDED: {
    meaning: 'A required argument was added',
    action: OPTIONAL,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  OPTIONAL_ARG_ADDED: {
    meaning: 'An optional argument was added',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  ARG_CHANGED_KIND: {
    meaning: 'An argument takes another type',
    action: NEW_ONE,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  ARG_BECAME_REQUIRED: {
    meaning: 'An argument, or an element of its list, must not be null any more',
    action: OPTIONAL,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  ARG_BECAME_OPTIONAL: {
    meaning: 'An argument, or an element of its list, may be null now',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  ARG_DEFAULT_VALUE_CHANGE: {
    meaning: 'The default of an argument changed',
    action: 'Ask the clients that leave the argument out.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
  DEFAULT_OF_REQUIRED_REMOVED: {
    meaning: 'An argument or input field lost its default and is required now',
    action: 'Leave the default.',
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  INPUT_FIELD_REMOVED: {
    meaning: 'An input field was removed',
    action: DEPRECATE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  REQUIRED_INPUT_FIELD_ADDED: {
    meaning: 'A required input field was added',
    action: OPTIONAL,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  OPTIONAL_INPUT_FIELD_ADDED: {
    meaning: 'An optional input field was added',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  INPUT_FIELD_CHANGED_KIND: {
    meaning: 'An input field takes another type',
    action: NEW_ONE,
    verdict: 'breaking',
    withUsage: 'used',
  },
  INPUT_FIELD_BECAME_REQUIRED: {
    meaning: 'An input field, or an element of its list, must not be null any more',
    action: OPTIONAL,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  INPUT_FIELD_BECAME_OPTIONAL: {
    meaning: 'An input field, or an element of its list, may be null now',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  INPUT_FIELD_DEFAULT_CHANGED: {
    meaning: 'The default of an input field changed',
    action: 'Ask the clients that leave the field out.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
  INPUT_DEPRECATED: {
    meaning: 'An argument or input field was deprecated',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
  ONE_OF_ADDED: {
    meaning: 'An input became @oneOf: it takes exactly one field now',
    action: NEW_ONE,
    verdict: 'breaking',
    withUsage: 'invalid',
  },
  ONE_OF_REMOVED: {
    meaning: 'An input is not @oneOf any more',
    action: NOTHING,
    verdict: 'safe',
    withUsage: 'always',
  },
};

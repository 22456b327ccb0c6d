import { astFromValue, isRequiredInputField, print, type GraphQLInputType } from 'graphql';
import type { ChangeCode } from './change-kinds.ts';
import { changeOf, type Change } from './change.ts';
import { compareTypes, demandsMore } from './compare-types.ts';

/** An argument or an input field, and where it is. */
export interface InputPlace {
  readonly kind: 'argument' | 'inputField';
  /** The field of the argument, or the input. */
  readonly owner: string;
  readonly coordinate: string;
}

/** What arguments and input fields have in common. */
export interface InputValue {
  readonly type: GraphQLInputType;
  readonly defaultValue?: unknown;
  readonly deprecationReason?: string | null | undefined;
}

interface InputCodes {
  readonly removed: ChangeCode;
  readonly requiredAdded: ChangeCode;
  readonly optionalAdded: ChangeCode;
  readonly changedKind: ChangeCode;
  readonly becameRequired: ChangeCode;
  readonly becameOptional: ChangeCode;
  readonly otherDefault: ChangeCode;
}

const codes: Readonly<Record<InputPlace['kind'], InputCodes>> = {
  argument: {
    removed: 'ARG_REMOVED',
    requiredAdded: 'REQUIRED_ARG_ADDED',
    optionalAdded: 'OPTIONAL_ARG_ADDED',
    changedKind: 'ARG_CHANGED_KIND',
    becameRequired: 'ARG_BECAME_REQUIRED',
    becameOptional: 'ARG_BECAME_OPTIONAL',
    otherDefault: 'ARG_DEFAULT_VALUE_CHANGE',
  },
  inputField: {
    removed: 'INPUT_FIELD_REMOVED',
    requiredAdded: 'REQUIRED_INPUT_FIELD_ADDED',
    optionalAdded: 'OPTIONAL_INPUT_FIELD_ADDED',
    changedKind: 'INPUT_FIELD_CHANGED_KIND',
    becameRequired: 'INPUT_FIELD_BECAME_REQUIRED',
    becameOptional: 'INPUT_FIELD_BECAME_OPTIONAL',
    otherDefault: 'INPUT_FIELD_DEFAULT_CHANGED',
  },
};

/** Compares an argument or input field with the one before. */
export function compareInputValue(
  place: InputPlace,
  before: InputValue | undefined,
  after: InputValue | undefined,
): readonly Change[] {
  if (!before) return after ? [added(place, after)] : [];
  const make = makerOf(place);
  if (!after) return [make(codes[place.kind].removed, `${place.coordinate} was removed.`, place.coordinate)];
  const required = newlyRequired(place, before, after);
  return [...(required ?? compareValue(place, before, after)), ...deprecation(place, before, after)];
}

type Make = (code: ChangeCode, message: string, ...uses: readonly string[]) => Change;

/** Who leaves an argument out uses its field; who leaves an input field out uses its input. */
function makerOf({ kind, owner, coordinate }: InputPlace): Make {
  return (code, message, ...uses) =>
    changeOf(code, coordinate, message, {
      uses: uses.length > 0 ? uses : [owner],
      ...(kind === 'inputField' && { input: owner }),
    });
}

function added(place: InputPlace, after: InputValue): Change {
  const make = makerOf(place);
  const type = String(after.type);
  return isRequired(after)
    ? make(codes[place.kind].requiredAdded, `${place.coordinate} was added, and is required: ${type}.`)
    : make(codes[place.kind].optionalAdded, `${place.coordinate} was added: ${type}.`);
}

/** Under an unchanged type; a changed one is reported as such. */
function newlyRequired(
  place: InputPlace,
  before: InputValue,
  after: InputValue,
): readonly Change[] | undefined {
  if (!isRequired(after) || isRequired(before) || String(before.type) !== String(after.type))
    return undefined;
  const message = `${place.coordinate} lost its default and is required now.`;
  return [makerOf(place)('DEFAULT_OF_REQUIRED_REMOVED', message)];
}

function compareValue(place: InputPlace, before: InputValue, after: InputValue): readonly Change[] {
  return [...compareInputTypes(place, before, after), ...compareDefaults(place, before, after)];
}

function compareInputTypes(place: InputPlace, before: InputValue, after: InputValue): readonly Change[] {
  const difference = compareTypes(before.type, after.type);
  if (difference === 'same') return [];
  const make = makerOf(place);
  const message = `${place.coordinate} changed type from ${String(before.type)} to ${String(after.type)}.`;
  const { changedKind, becameRequired, becameOptional } = codes[place.kind];
  if (difference === 'other') return [make(changedKind, message, place.coordinate)];
  return demandsMore(before.type, after.type)
    ? [make(becameRequired, message)]
    : [make(becameOptional, message)];
}

function compareDefaults(place: InputPlace, before: InputValue, after: InputValue): readonly Change[] {
  const [was, is] = [defaultText(before), defaultText(after)];
  if (was === is) return [];
  const message = `${place.coordinate} has the default ${is ?? 'of its absence'} now; it was ${was ?? 'that of its absence'}.`;
  return [makerOf(place)(codes[place.kind].otherDefault, message)];
}

function defaultText({ type, defaultValue }: InputValue): string | undefined {
  if (defaultValue === undefined) return undefined;
  try {
    const node = astFromValue(defaultValue, type);
    return node ? print(node) : JSON.stringify(defaultValue);
  } catch {
    return JSON.stringify(defaultValue); // a value that the type no longer has
  }
}

function deprecation(place: InputPlace, before: InputValue, after: InputValue): readonly Change[] {
  if (typeof before.deprecationReason === 'string' || typeof after.deprecationReason !== 'string') return [];
  return [
    makerOf(place)('INPUT_DEPRECATED', `${place.coordinate} was deprecated: ${after.deprecationReason}.`),
  ];
}

/** The same for arguments and input fields. */
function isRequired(value: InputValue): boolean {
  return isRequiredInputField(value as Parameters<typeof isRequiredInputField>[0]); // reads these members alone
}

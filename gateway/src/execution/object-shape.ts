import { own } from '@trellis/runtime/own-property';
import type { ObjectShape, SelectionShape } from '../plan/response-shape.ts';
import type { DataObject } from './failure.ts';

/** What is asked of an object, by its runtime type; nothing when clients are denied such an object there. */
export function objectShapeOf(selection: SelectionShape, object: DataObject): ObjectShape | undefined {
  const typename = own(object, '__typename');
  const { onlyType } = selection;
  if (onlyType === undefined) {
    const name = typeof typename === 'string' ? typename : selection.fallbackType;
    return name === undefined ? undefined : selection.of(name);
  }
  return typeof typename === 'string' && !selection.accepts(typename) ? undefined : selection.of(onlyType);
}

/** Whether something is asked of some type that its interface does not have: who does not know the type would leave it out. */
export function selectsFieldsOfSubtypes(selection: SelectionShape, asInterface: ObjectShape): boolean {
  const keys = new Set(asInterface.fields.map(({ responseKey }) => responseKey));
  return selection
    .possibleTypes()
    .some((type) => selection.of(type)?.fields.some(({ responseKey }) => !keys.has(responseKey)));
}

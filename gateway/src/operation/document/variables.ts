import { own } from '../../own-property.ts';

/** The variables of one request: coerced by the operation's definitions, defaults applied, read by own properties alone. */
export type Variables = Readonly<Record<string, unknown>>;

/** The value of a variable; `undefined` when it was not given. Never what an object inherits. */
export function ownVariable(variables: Variables, name: string): unknown {
  return own(variables, name);
}

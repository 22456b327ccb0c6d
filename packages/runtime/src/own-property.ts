/** The value of an object's own property; undefined without one. Keys from outside never reach what an object inherits. */
export function own<Value>(object: Readonly<Record<string, Value>>, key: string | number): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The same of any value; undefined where it is no object. */
export function ownOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null
    ? own(value as Readonly<Record<string, unknown>>, key) // only its own members are read
    : undefined;
}

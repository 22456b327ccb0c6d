/** Which types are which, for the executor: by names alone, hidden types included. */
export interface TypeIndex {
  /** Whether `type` (an object or interface type) is `condition` or one of its members or implementations. */
  isSubtype(type: string, condition: string): boolean;
  /** Whether this is an object type of the supergraph. */
  isObject(type: string): boolean;
}

import type { Decided, Variables } from '../document/decided-conditions.ts';
import type { Inclusion } from '../document/decided-directives.ts';

/** One computation: the variables, what they decide, and what fragments were found to be with them. */
export interface TermRun {
  readonly variables: Variables;
  readonly decided: Decided;
  readonly known: Map<object, unknown>;
}

/** What an operation amounts to in one respect: a value where no variable matters, else computed per request. */
export type Term<Value> = Value | TermFunction<Value>;

type TermFunction<Value> = (run: TermRun) => Value;

/** Whether variables matter. No value is a function itself. */
export function isComputed<Value>(term: Term<Value>): term is TermFunction<Value> {
  return typeof term === 'function';
}

/** The value of a term in one computation. */
export function valueOf<Value>(term: Term<Value>, run: TermRun): Value {
  return isComputed(term) ? term(run) : term;
}

/** A term of one value. */
export function mapTerm<Value>(term: Term<Value>, map: (value: Value) => Value): Term<Value> {
  return isComputed(term) ? (run) => map(term(run)) : map(term);
}

/**
 * A term of many values.
 *
 * @param none what joined with another value is that value
 */
export function joinTerms<Value>(
  terms: readonly Term<Value>[],
  none: Value,
  join: (left: Value, right: Value) => Value,
): Term<Value> {
  let constant = none;
  let computed: TermFunction<Value>[] | undefined;
  for (const term of terms) {
    if (isComputed(term)) (computed ??= []).push(term);
    else if (term !== none) constant = constant === none ? term : join(constant, term);
  }
  if (!computed) return constant;
  const [first] = computed;
  if (first && computed.length === 1 && constant === none) return first;
  const all = computed;
  return (run) => {
    let value = constant;
    for (const compute of all) value = join(value, compute(run));
    return value;
  };
}

/** A term that is computed once per request, however many places refer to it. */
export function rememberTerm<Value>(term: Term<Value>): Term<Value> {
  if (!isComputed(term)) return term;
  return (run) => {
    if (run.known.has(term)) return run.known.get(term) as Value; // only this term's value is put there
    const value = term(run);
    run.known.set(term, value);
    return value;
  };
}

/** Another value where `@skip` or `@include` leave a selection out. */
export function includedTerm<Value>(inclusion: Inclusion, term: Term<Value>, otherwise: Value): Term<Value> {
  if (inclusion === true || term === otherwise) return term;
  if (inclusion === false) return otherwise;
  return (run) => (run.decided.meets(inclusion) ? valueOf(term, run) : otherwise);
}

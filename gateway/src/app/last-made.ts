import { isDeepStrictEqual } from 'node:util';

/** What was made of settings, until it is asked for others: what it remembers outlives reloads that do not concern it. */
export class LastMade<Settings, Value> {
  #made: { readonly settings: Settings; readonly value: Value } | undefined;

  of(settings: Settings, make: () => Value): Value {
    if (!this.#made || !isDeepStrictEqual(this.#made.settings, settings))
      this.#made = { settings, value: make() };
    return this.#made.value;
  }
}

import { isFieldValue } from '../fields.ts';
import type { HeadField, HeadFields } from './exchange.ts';

/** The fields of a head that another reader has parsed, as node:http2 does. */
export class ParsedFields implements HeadFields {
  readonly #headers: Readonly<Record<string, string | readonly string[] | undefined>>;

  /** @param headers names in lower case; of a list, each came by itself */
  constructor(headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
    this.#headers = headers;
  }

  /** What other readers let through and ends a line, or has no byte, is left out. */
  pick(names: Pick<ReadonlySet<string>, 'has'>): readonly HeadField[] {
    return Object.entries(this.#headers)
      .filter(([name]) => names.has(name))
      .flatMap(([name, values = []]) => [values].flat().map((value) => ({ name, value })))
      .filter(({ value }) => isFieldValue(value));
  }
}

/** For which it is remembered, milliseconds: a subgraph may be given WebSockets later. */
const REMEMBERED_MS = 10 * 60_000;
/** More than one supergraph has subgraphs. */
const MAX_REMEMBERED = 2_000;

/** Subgraphs that were found to answer over HTTP alone, by address. */
export class FoundTransports {
  readonly #untilMs = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  isOverHttp(address: string): boolean {
    const untilMs = this.#untilMs.get(address);
    if (untilMs === undefined) return false;
    if (untilMs > this.#now()) return true;
    this.#untilMs.delete(address);
    return false;
  }

  rememberHttp(address: string): void {
    this.#untilMs.delete(address);
    const [oldest] = this.#untilMs.keys();
    if (this.#untilMs.size >= MAX_REMEMBERED && oldest !== undefined) this.#untilMs.delete(oldest);
    this.#untilMs.set(address, this.#now() + REMEMBERED_MS);
  }

  /** What failed may be another server now. */
  forget(address: string): void {
    this.#untilMs.delete(address);
  }
}

/** Reads that cost others something: the same once at a time, and so many at once. */
export class CoalescedReads<Value> {
  readonly #atOnce: number;
  readonly #reading = new Map<string, Promise<Value>>();

  /** @param atOnce how many different ones */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** @returns what one that began before reads, where it is the same; undefined where too many others are on their way */
  read(key: string, begin: () => Promise<Value>): Promise<Value> | undefined {
    const known = this.#reading.get(key);
    if (known ?? this.#reading.size >= this.#atOnce) return known;
    const reading = begin().finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }
}

/** Where a command writes: results, and messages beside them. */
export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

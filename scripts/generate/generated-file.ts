/** A file that is made from others and committed. */
export interface GeneratedFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly content: string;
}

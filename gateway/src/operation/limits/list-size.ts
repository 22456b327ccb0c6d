/** What `@listSize` says of a field. Cost specification: List size. */
export interface ListSize {
  readonly assumedSize: number | undefined;
  /** Arguments that bound the list; dots lead into input objects: `page.first`. */
  readonly slicingArguments: readonly string[];
  /** Fields below that are the lists, where this one is not; empty when this one is. */
  readonly sizedFields: readonly string[];
}

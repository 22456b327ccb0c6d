/** What a writer has in the form. */
export interface Written {
  readonly title: string;
  readonly body: string;
  /** As it was typed: separated by commas. */
  readonly tags: string;
}

/** Words for a post that exists already, with the version of it that they were written on. */
export interface WrittenOn extends Written {
  /** The post's `updatedAt`. */
  readonly base: string;
}

/** Tags as the graph takes them. */
export function tagsOf({ tags }: Written): string[] {
  return [...new Set(tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

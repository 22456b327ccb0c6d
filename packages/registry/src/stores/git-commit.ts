/** A file of a commit. */
export type CommittedFile = readonly [path: string, content: Uint8Array];

/**
 * The input of `git fast-import` for one commit.
 *
 * @param parent the commit before; undefined for the first of a branch
 */
export function fastImport(
  reference: string,
  parent: string | undefined,
  changes: readonly CommittedFile[],
  message: string,
): Buffer {
  const text = Buffer.from(message);
  return Buffer.concat([
    Buffer.from(`commit ${reference}\ncommitter Trellis <registry@localhost> now\ndata ${text.length}\n`),
    text,
    Buffer.from(`\n${parent === undefined ? '' : `from ${parent}\n`}`),
    ...changes.flatMap(([path, content]) => [
      Buffer.from(`M 100644 inline ${path}\ndata ${content.byteLength}\n`),
      content,
      Buffer.from('\n'),
    ]),
  ]);
}

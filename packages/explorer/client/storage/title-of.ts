/** How an operation is called: by its name, else by its first comment or field. */
export function titleOf(query: string): string {
  const name = /\b(?:query|mutation|subscription)\s+(\w+)/.exec(query)?.[1];
  const comment = /^\s*#\s*(.+)/.exec(query)?.[1];
  const field = /\{\s*(\w+)/.exec(query)?.[1];
  return (name ?? comment ?? field ?? '').slice(0, 40);
}

/** Whether a source of recorded operations is a database. */
export function isDatabase(source: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(source);
}

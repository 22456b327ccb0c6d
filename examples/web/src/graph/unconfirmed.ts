const PREFIX = 'unconfirmed:';

/** An id of what is shown before the graph has made it. */
export function unconfirmedId(): string {
  return `${PREFIX}${crypto.randomUUID()}`;
}

/** Whether the graph has it. */
export function isConfirmed({ id }: { readonly id: string }): boolean {
  return !id.startsWith(PREFIX);
}

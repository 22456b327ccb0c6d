/** Whether a text that was read for a supergraph is none. By its name: the gateway's readers are loaded where they are needed. */
export function isInvalidSupergraph(error: unknown): error is Error {
  return error instanceof Error && error.name === 'InvalidSupergraph';
}

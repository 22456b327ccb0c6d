/** Every way in which a registry fails, what a command ends with, and what helps: docs/command-line-errors.md shows it. */
export const registryErrors = {
  NO_REGISTRY: {
    exit: 69,
    summary: 'The place holds no registry.',
    action: 'Name the right place with --registry or TRELLIS_REGISTRY, or make one: trellis registry init.',
  },
  STORE_UNAVAILABLE: {
    exit: 69,
    summary: 'The store did not respond, or failed.',
    action: 'Try again; see that the folder, the repository or the server can be reached.',
  },
  STORE_READ_ONLY: {
    exit: 69,
    summary: 'The store takes no writes.',
    action: 'Publish as a user who may write there.',
  },
  STORE_FULL: {
    exit: 69,
    summary: 'The store has no space left.',
    action: 'Make room, then publish again: nothing is half written.',
  },
  STORE_UNSUITABLE: {
    exit: 69,
    summary: 'The store cannot create a record once and only once.',
    action: 'Use a file system that links files, or another store.',
  },
  STORE_LOCKED: {
    exit: 69,
    summary: 'A killed program left a lock in the store.',
    action: 'See that no program works there, and delete the lock that the message names.',
  },
  NEWER_FORMAT: {
    exit: 69,
    summary: 'A newer version of Trellis wrote it.',
    action: 'Update trellis here.',
  },
  NOT_FOUND: {
    exit: 1,
    summary: 'The log has no such record.',
    action: 'Look which records there are: trellis history, trellis status.',
  },
  NO_CONTRACT: {
    exit: 1,
    summary: 'The release has no contract of that name.',
    action:
      'Publish it: trellis publish --contract NAME with its tags; or correct the name, in a gateway registry.contract.',
  },
  TOO_MANY_VARIANTS: {
    exit: 1,
    summary: 'The environment has as many variants as a gateway serves at once.',
    action: 'End one of them, which the message names: trellis variant remove.',
  },
  INVALID_NAME: {
    exit: 64,
    summary: 'A graph, an environment, a subgraph or a contract has another kind of name.',
    action: 'Correct the name or the option that the message names.',
  },
  CONFLICT: {
    exit: 75,
    summary: 'Other publishers were faster, each time.',
    action: 'Try again.',
  },
  NO_RIGHT: {
    exit: 77,
    summary: 'The credentials do not allow it.',
    action: 'Use credentials with the scope that the message names.',
  },
  INVALID_KEY: {
    exit: 77,
    summary: 'A key or a set of keys is not one that signs or verifies records.',
    action: 'Make one with trellis keys new.',
  },
  UNSIGNED: {
    exit: 77,
    summary: 'A record is not signed as records are.',
    action: 'Do not serve it. Find out who wrote it, and restore the log.',
  },
  UNTRUSTED_KEY: {
    exit: 77,
    summary: 'A record is signed by a key that is not trusted.',
    action: 'Take the newest set of trusted keys if keys were replaced; else find out who signed it.',
  },
  BAD_SIGNATURE: {
    exit: 77,
    summary: 'A signature does not match its record.',
    action: 'Do not serve it. Restore the log from a copy.',
  },
  INVALID_RECORD: {
    exit: 77,
    summary: 'A signed record or release is not one.',
    action: 'Update trellis here if a newer one has written it; else restore the log from a copy.',
  },
  OTHER_LOG: {
    exit: 77,
    summary: 'A record belongs to another graph, environment or place of the log.',
    action: 'Name the right graph and environment; else restore the log from a copy.',
  },
  BROKEN_CHAIN: {
    exit: 77,
    summary: 'A record is missing, or does not follow the one before it.',
    action: 'Restore the log from a copy.',
  },
  REWRITTEN: {
    exit: 77,
    summary: 'The log is older than what was seen before, or another one.',
    action: 'Find out who replaced the log; trust the new one only on purpose.',
  },
  BLOB_MISSING: {
    exit: 77,
    summary: 'A text that a record names is missing.',
    action: 'Restore the text from a copy of the registry.',
  },
  BLOB_ALTERED: {
    exit: 77,
    summary: 'A text is not the one that a record names.',
    action: 'Restore the text from a copy of the registry.',
  },
  TOO_LARGE: {
    exit: 1,
    summary: 'A text or a record exceeds its limit.',
    action: 'Make it smaller.',
  },
} as const;

/** One of {@link registryErrors}. */
export type RegistryErrorCode = keyof typeof registryErrors;

/** What is wrong with a registry, or with what was asked of it. The message says where, and what helps. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly code: RegistryErrorCode;

  constructor(code: RegistryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

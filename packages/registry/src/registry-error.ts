/** Every way in which a registry fails, and what a command ends with. */
export const registryErrors = {
  NO_REGISTRY: { exit: 69, summary: 'The place holds no registry.' },
  STORE_UNAVAILABLE: { exit: 69, summary: 'The store did not respond, or failed.' },
  STORE_READ_ONLY: { exit: 69, summary: 'The store takes no writes.' },
  STORE_FULL: { exit: 69, summary: 'The store has no space left.' },
  STORE_UNSUITABLE: { exit: 69, summary: 'The store cannot create a record once and only once.' },
  STORE_LOCKED: { exit: 69, summary: 'A killed program left a lock in the store.' },
  NEWER_FORMAT: { exit: 69, summary: 'A newer version of Trellis wrote it.' },
  NOT_FOUND: { exit: 1, summary: 'The log has no such record.' },
  INVALID_NAME: { exit: 64, summary: 'A graph, an environment or a subgraph has another kind of name.' },
  CONFLICT: { exit: 75, summary: 'Other publishers were faster, each time.' },
  NO_RIGHT: { exit: 77, summary: 'The credentials do not allow it.' },
  INVALID_KEY: { exit: 77, summary: 'A key or a set of keys is not one that signs or verifies records.' },
  UNSIGNED: { exit: 77, summary: 'A record is not signed as records are.' },
  UNTRUSTED_KEY: { exit: 77, summary: 'A record is signed by a key that is not trusted.' },
  BAD_SIGNATURE: { exit: 77, summary: 'A signature does not match its record.' },
  INVALID_RECORD: { exit: 77, summary: 'A signed record or release is not one.' },
  OTHER_LOG: { exit: 77, summary: 'A record belongs to another graph, environment or place of the log.' },
  BROKEN_CHAIN: { exit: 77, summary: 'A record is missing, or does not follow the one before it.' },
  REWRITTEN: { exit: 77, summary: 'The log is older than what was seen before, or another one.' },
  BLOB_MISSING: { exit: 77, summary: 'A text that a record names is missing.' },
  BLOB_ALTERED: { exit: 77, summary: 'A text is not the one that a record names.' },
  TOO_LARGE: { exit: 1, summary: 'A text or a record exceeds its limit.' },
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

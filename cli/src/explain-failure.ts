import { ConfigError, StartupError } from '@trellis/runtime';
import { EmbeddedPostgresError } from './platform/index.ts';
import { PortInUse } from './platform/ports.ts';
import { StoreUnavailable } from './platform/external-stores.ts';
import { DirectoryInUse } from '@trellis/dev-stores';

/** Failures whose message is all that a user needs. */
const IN_WORDS = [ConfigError, EmbeddedPostgresError, PortInUse, StartupError, StoreUnavailable];

/** Says why a start failed and, where that is known, what helps. */
export function explainFailure(error: unknown): string {
  if (error instanceof DirectoryInUse) {
    return `${error.message} Another Trellis runs on this data directory: stop it, or set DATA_DIR to another one.`;
  }
  if (!(error instanceof Error)) return `Could not start: ${String(error)}`;
  if (IN_WORDS.some((kind) => error instanceof kind)) return error.message;
  return explainSystemError(error) ?? `Could not start: ${error.stack ?? error.message}`;
}

function explainSystemError(error: NodeJS.ErrnoException): string | undefined {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Could not start: ${error.message}. Another program took the port in this moment; start again.`;
    case 'EACCES':
    case 'EPERM':
      return `Could not start: ${error.message}. The data directory may belong to another user; set DATA_DIR to one of yours.`;
    case 'ENOSPC':
      return `Could not start: ${error.message}. The disk is full.`;
    default:
      return undefined;
  }
}

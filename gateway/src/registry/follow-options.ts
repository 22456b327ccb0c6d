import type { LogName, RegistryStore, TrustedKeys } from '@trellis/registry';
import type { RegistryObserver } from './registry-observer.ts';
import type { GenerationSource } from './served-generations.ts';
import type { Stop } from './stopped-variants.ts';

/** Settings of `followRegistry`. */
export interface FollowOptions extends Omit<GenerationSource, 'stores'> {
  readonly store: RegistryStore;
  readonly log: LogName;
  readonly trust: TrustedKeys;
  /** Where the last good release is stored. Absent: nowhere, and nothing can be served while the registry is unavailable at a start. */
  readonly directory: string | undefined;
  /** Milliseconds between two looks, 20 % more or less by chance; registries that can are waited for instead. */
  readonly pollMs: () => number;
  /** Whether the copy on the disk will do where the registry is unavailable. @default true */
  readonly mayServeCopy?: boolean | undefined;
  /** Variants that have stopped themselves and are not to start again. @default those that the directory names */
  readonly stops?: readonly Stop[] | undefined;
  /** Aborts what is being read. @default when it is closed */
  readonly signal?: AbortSignal | undefined;
  readonly observer: RegistryObserver;
}

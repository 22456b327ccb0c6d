import type { ClientRegistry } from './client-registry.ts';
import type { ClientStore } from './client-store.ts';

/** The clients that are registered. */
export interface ClientFeatures {
  /** As requests look them up: remembered for seconds. */
  readonly clients: ClientRegistry;
  /** As they are stored. */
  readonly clientStore: ClientStore;
}

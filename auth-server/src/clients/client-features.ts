import type { ClientKeys } from './client-keys.ts';
import type { ClientLogos } from './client-logos.ts';
import type { ClientRegistry } from './client-registry.ts';
import type { ClientStore } from './client-store.ts';

/** The clients that are registered. */
export interface ClientFeatures {
  /** As requests look them up: remembered for seconds. */
  readonly clients: ClientRegistry;
  /** The public keys by which they sign. */
  readonly clientKeys: ClientKeys;
  /** What pages show of them. */
  readonly clientLogos: ClientLogos;
  /** As they are stored. */
  readonly clientStore: ClientStore;
}

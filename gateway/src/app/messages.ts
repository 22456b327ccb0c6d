import type { GatewayConfig } from '../config/config.ts';

/** Messages of the primary process to a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly config: GatewayConfig }
  | { readonly kind: 'listen' }
  | { readonly kind: 'close' };

/**
 * Messages of a worker to the primary process: `waiting` when it listens to messages, as earlier ones may be lost;
 * `prepared` when all but the port is open; `alive` every second from the start.
 */
export type FromWorker =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

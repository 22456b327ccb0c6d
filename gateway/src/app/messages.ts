import type { GatewayConfig } from '../config/config.ts';

/** What the primary process tells a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly config: GatewayConfig }
  | { readonly kind: 'listen' }
  | { readonly kind: 'close' };

/**
 * What a worker tells the primary process: `waiting` when it listens to messages, as what was sent before may be lost;
 * `prepared` when all but the port is open; `alive` every second from the start.
 */
export type FromWorker =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

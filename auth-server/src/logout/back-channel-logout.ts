import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@trellis/runtime';
import type { AuthServerMetrics } from '../audit/auth-server-metrics.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { Client } from '../clients/client-store.ts';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { issueLogoutToken, type EndedSessionName, type LogoutTokenDependencies } from './logout-token.ts';
import { postGuardedForm } from './post-guarded-form.ts';

/** Sends logout notifications to clients. */
export interface BackChannelLogout {
  /** Starts notifying the clients of the session; resolves before they have responded. */
  notify(session: EndedSessionName, clientIds: readonly string[]): Promise<void>;
  /** Resolves when all notifications are delivered or given up, which takes at most some twenty seconds. */
  settle(): Promise<void>;
  /** Gives up what is under way. */
  close(): Promise<void>;
}

/** What {@link createBackChannelLogout} needs. */
export interface BackChannelLogoutDependencies extends LogoutTokenDependencies {
  readonly clients: Pick<ClientRegistry, 'find'>;
  readonly guard: AddressGuard;
  readonly metrics: AuthServerMetrics;
  readonly logger: Logger;
}

/** Milliseconds before each attempt. */
const ATTEMPTS_AFTER_MS = [0, 1_000, 5_000];
/** Most deliveries under way. */
const MOST_UNDER_WAY = 1_000;

/** @see OpenID Connect Back-Channel Logout §2.5 */
export function createBackChannelLogout(dependencies: BackChannelLogoutDependencies): BackChannelLogout {
  const { clients, guard, metrics, logger } = dependencies;
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();

  const attempt = async (url: URL, token: string): Promise<boolean> => {
    try {
      const status = await postGuardedForm(url, { logout_token: token }, guard, closing.signal);
      return status === 200 || status === 204;
    } catch (error) {
      logger.debug({ err: error }, 'logout notification failed');
      return false;
    }
  };
  const deliver = async ({ metadata }: Client, session: EndedSessionName, uri: string): Promise<void> => {
    for (const afterMs of ATTEMPTS_AFTER_MS) {
      await pause(afterMs, undefined, { signal: closing.signal, ref: false });
      // A new token each time: it has expired before the last attempt otherwise, and its id is used up.
      if (!(await attempt(new URL(uri), issueLogoutToken(dependencies, metadata, session)))) continue;
      metrics.backChannelLogouts.inc({ outcome: 'delivered' });
      return;
    }
    throw new Error('no attempt succeeded');
  };
  const begin = (client: Client, session: EndedSessionName, uri: string): void => {
    if (underWay.size >= MOST_UNDER_WAY) {
      metrics.backChannelLogouts.inc({ outcome: 'dropped' });
      return;
    }
    const done = deliver(client, session, uri)
      .catch((error: unknown) => {
        metrics.backChannelLogouts.inc({ outcome: 'failed' });
        logger.warn({ err: error, clientId: client.metadata.client_id }, 'logout notification dropped');
      })
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  return {
    notify: async (session, clientIds) => {
      for (const clientId of clientIds) {
        const client = await clients.find(clientId);
        const uri = client?.metadata.backchannel_logout_uri;
        if (client && uri !== undefined) begin(client, session, uri);
      }
    },
    settle: async () => {
      await Promise.all(underWay);
    },
    close: async () => {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

/** Sends logout notifications. */
export interface LogoutFeatures {
  readonly backChannelLogout: BackChannelLogout;
}

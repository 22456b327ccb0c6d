import { createClient, type Client } from 'graphql-ws';
import type { Config } from '../config.ts';
import type { Network } from '../network/network.ts';
import type { Session } from '../session/session.ts';

const HEARTBEAT_MS = 10_000;
const PONG_DEADLINE_MS = 5_000;
const LONGEST_PAUSE_MS = 10_000;
const RETRY_MS = 1_000;
/** The gateway closes so when the token is no longer good. */
const FORBIDDEN = 4403;

/**
 * The live connection. It is opened with the first subscription, comes back by itself however it broke, with a new token, and
 * every subscription on it goes on.
 */
export function createSocket({ graph }: Config, session: Session, network: Network): Client {
  let token: string | undefined;
  let pongDeadline: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: graph.replace(/^http/, 'ws'),
    keepAlive: HEARTBEAT_MS,
    connectionParams: async () => {
      token = await tokenInTheEnd(session, network);
      return token === undefined ? {} : { Authorization: `Bearer ${token}` };
    },
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => session.state.kind === 'signed-in',
    retryWait: async (retries) => {
      await network.untilOnline();
      await delay(Math.min(LONGEST_PAUSE_MS, 250 * 2 ** retries) * (0.5 + Math.random() / 2));
    },
    on: {
      connected: () => network.setSocketLost(false),
      closed: (event) => {
        network.setSocketLost(session.state.kind === 'signed-in' && !isWanted(event));
        if (codeOf(event) === FORBIDDEN && token !== undefined) session.renewRejected(token);
      },
      ping: (received) => {
        // A connection that has died says nothing of it: one without a pong is given up.
        if (!received) pongDeadline = setTimeout(() => client.terminate(), PONG_DEADLINE_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(pongDeadline);
      },
    },
  });
  window.addEventListener('offline', () => client.terminate());
  return client;
}

/** While the auth-server can't be reached the connection waits: without a token it would be an anonymous one. */
async function tokenInTheEnd(session: Session, network: Network): Promise<string | undefined> {
  for (;;) {
    try {
      return await session.accessToken();
    } catch {
      await network.untilOnline();
      await delay(RETRY_MS);
    }
  }
}

/** Closed because nothing is subscribed to any more. */
function isWanted(event: unknown): boolean {
  return codeOf(event) === 1000;
}

function codeOf(event: unknown): number | undefined {
  return event instanceof CloseEvent ? event.code : undefined;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

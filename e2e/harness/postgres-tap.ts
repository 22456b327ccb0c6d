import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { ClientMessageReader, leadingStrings, type ClientMessage } from './postgres-messages.ts';

/** A statement on its way to PostgreSQL. */
export interface TappedStatement {
  /** `application_name` of the connection, which names the service. */
  readonly application: string;
  readonly text: string;
}

/** A proxy between the services and PostgreSQL that remembers every statement. */
export interface PostgresTap {
  /** To be used instead of the one given. */
  readonly connectionString: string;
  /** Since the last {@link PostgresTap.forget}. */
  readonly statements: readonly TappedStatement[];
  forget(): void;
  close(): Promise<void>;
}

const BACKGROUND = /outbox|inbox|consumer|advisory|uuid IS NULL OR|^SELECT(?: pg_| WHERE|$)|^LISTEN/;

/**
 * Whether services run a statement at times of their own: relays and consumers of events, with their snapshots; who leads them, and that
 * their connection is in use; a new connection of a pool.
 */
export function isOfBackground(text: string): boolean {
  return BACKGROUND.test(text);
}

/** @param connectionString of a PostgreSQL that listens on TCP, without TLS */
export async function tapPostgres(connectionString: string): Promise<PostgresTap> {
  const statements: TappedStatement[] = [];
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(connectionString);
  const server = createServer((client) => {
    const upstream = connect(Number(port || '5432'), hostname);
    for (const socket of [client, upstream]) keep(socket, sockets);
    client.pipe(upstream).pipe(client);
    record(client, statements);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(connectionString);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    connectionString: url.href,
    statements,
    forget: () => statements.splice(0),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => sockets.delete(socket));
}

/** A prepared statement is parsed once and bound at every use, so its text is remembered by its name. */
function record(client: Socket, statements: TappedStatement[]): void {
  const reader = new ClientMessageReader();
  const prepared = new Map<string, string>();
  client.on('data', (chunk: Buffer) => {
    for (const message of reader.read(chunk)) {
      const text = statementOf(message, prepared);
      if (text === undefined) continue;
      statements.push({ application: reader.parameters['application_name'] ?? '', text });
    }
  });
}

/** @returns undefined for messages that run nothing */
function statementOf(message: ClientMessage, prepared: Map<string, string>): string | undefined {
  const [first = '', second = ''] = leadingStrings(message, 2);
  if (message.type === 'P') prepared.set(first, second);
  if (message.type === 'B') return prepared.get(second) ?? '';
  return message.type === 'Q' ? first : undefined;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createTemporaryDirectory, freePort, until } from '@trellis/testkit';

/** A Redis with two replicas behind one address, as hosted ones are. */
export interface ReplicatedRedis {
  readonly url: string;
  /** Kills the primary, promotes the replica that has most, and lets the address lead to it. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  readonly port: number;
  readonly process: ChildProcess;
  readonly connection: RedisConnection;
}

/** Starts three `redis-server` processes, and a forwarder in front of them. */
export async function startReplicatedRedis(): Promise<ReplicatedRedis> {
  const directory = createTemporaryDirectory();
  const primary = await startNode(directory.path);
  const replicas = [
    await startNode(directory.path, primary.port),
    await startNode(directory.path, primary.port),
  ] as const;
  await until(async () => (await infoOf(primary)).match(/state=online/g)?.length === 2);
  const forwarder = await startForwarder(primary.port);
  return {
    url: `redis://127.0.0.1:${forwarder.port}`,
    failOver: async () => {
      forwarder.leadTo(undefined);
      await end(primary);
      const [first, second] = replicas;
      const [promoted, other] =
        (await offsetOf(first)) >= (await offsetOf(second)) ? [first, second] : [second, first];
      await promoted.connection.call('REPLICAOF', 'NO', 'ONE');
      await other.connection.call('REPLICAOF', '127.0.0.1', promoted.port);
      await until(async () => (await infoOf(promoted)).includes('state=online'));
      forwarder.leadTo(promoted.port);
    },
    stop: async () => {
      await forwarder.close();
      await Promise.all([primary, ...replicas].map(end));
      directory.remove();
    },
  };
}

async function startNode(directory: string, primaryPort?: number): Promise<Node> {
  const port = await freePort();
  const folder = join(directory, String(port));
  mkdirSync(folder);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const following = primaryPort === undefined ? [] : ['--replicaof', '127.0.0.1', String(primaryPort)];
  const process = spawn('redis-server', [...options, ...following, '--repl-diskless-sync-delay', '0'], {
    stdio: 'ignore',
  });
  const url = `redis://127.0.0.1:${port}`;
  const connection = connectRedis({ url, name: 'proof', onError: () => undefined });
  await until(async () => (await connection.ping().catch(() => '')) === 'PONG');
  return { port, process, connection };
}

function infoOf({ connection }: Node): Promise<string> {
  return connection.info('replication').catch(() => '');
}

/** How much of the primary's writes a replica has. */
async function offsetOf(node: Node): Promise<number> {
  return Number(/slave_repl_offset:(\d+)/.exec(await infoOf(node))?.[1]);
}

async function end({ process, connection }: Node): Promise<void> {
  connection.disconnect();
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

interface Forwarder {
  readonly port: number;
  /** Ends what is connected. New connections lead there, or are closed at once. */
  leadTo(port: number | undefined): void;
  close(): Promise<void>;
}

async function startForwarder(first: number): Promise<Forwarder> {
  let target: number | undefined = first;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server: Server = createServer((incoming) => {
    keep(incoming);
    if (target === undefined) incoming.destroy();
    else couple(incoming, keep(connect(target, '127.0.0.1')));
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port,
    leadTo: (next) => {
      target = next;
      drop();
    },
    close: async () => {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function couple(incoming: Socket, outgoing: Socket): void {
  incoming.pipe(outgoing).pipe(incoming);
  incoming.once('close', () => outgoing.destroy());
  outgoing.once('close', () => incoming.destroy());
}

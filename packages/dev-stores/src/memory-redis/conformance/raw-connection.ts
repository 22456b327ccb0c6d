import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
const PATIENCE_MS = 60_000;

/** A connection that shows each byte: what a client library would hide. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => (this.#received += chunk.toString('latin1')));
    socket.on('close', () => (this.#closed = true));
    socket.on('error', () => undefined);
  }

  static async open(server: { readonly port: number }): Promise<RawConnection> {
    const socket = createConnection(server.port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Sends bytes, one for each character. */
  write(bytes: string): void {
    this.#socket.write(bytes, 'latin1');
  }

  /** Sends one request. */
  request(...words: readonly (string | Buffer)[]): void {
    this.write(encodeRequest(words));
  }

  /** What has come, once it ends so; forgets it. */
  async until(ending: string): Promise<string> {
    return this.#take(() => this.#received.endsWith(ending), `no ${JSON.stringify(ending)}`);
  }

  /** What had come when the server closed the connection. */
  async untilClosed(): Promise<string> {
    return this.#take(() => this.#closed, 'it is not closed');
  }

  /** Sends a request and, behind it, another whose response is known. */
  async ask(...words: readonly (string | Buffer)[]): Promise<string> {
    this.request(...words);
    this.request('PING', '~end~');
    const mark = '$5\r\n~end~\r\n';
    return (await this.until(mark)).slice(0, -mark.length);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #take(ready: () => boolean, complaint: string): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!ready()) {
      if (Date.now() > deadline || (this.#closed && !ready()))
        throw new Error(`${complaint} after ${JSON.stringify(this.#received.slice(-200))}`);
      await delay(2);
    }
    const taken = this.#received;
    this.#received = '';
    return taken;
  }
}

/** A request as clients send it. */
export function encodeRequest(words: readonly (string | Buffer)[]): string {
  const bulks = words.map((word) => {
    const bytes = Buffer.from(word).toString('latin1');
    return `$${bytes.length}\r\n${bytes}\r\n`;
  });
  return `*${words.length}\r\n${bulks.join('')}`;
}

import type { ExchangeHandler, ExchangeRequest } from '@trellis/http1';
import { exchangeOver } from './http2-exchange.ts';
import { Http2Session } from './http2-session.ts';
import { openHttp2Session, type Http2Options } from './open-session.ts';

/** Connections to one origin: another one is opened where those that exist have no room. */
const MAX_SESSIONS = 16;

/** The connections to one origin over HTTP/2. */
export class Http2Pool {
  readonly #origin: string;
  readonly #authority: string;
  readonly #options: Http2Options;
  readonly #sessions = new Set<Http2Session>();
  #opening: Promise<Http2Session> | undefined;
  #isClosed = false;

  constructor(origin: string, options: Http2Options) {
    this.#origin = origin;
    this.#authority = new URL(origin).host;
    this.#options = options;
  }

  /** Sends a request; the handler is called with its outcome. Nothing is sent twice. */
  dispatch(request: ExchangeRequest, handler: ExchangeHandler): void {
    const session = this.#freeSession();
    if (session) return exchangeOver(session, request, handler);
    this.session().then(
      (opened) => exchangeOver(opened, request, handler),
      (error: unknown) => handler.failed(error as Error), // nothing else is thrown
    );
  }

  /**
   * A session with room, opened where there is none.
   *
   * @throws OnlyHttp1; Error where the origin can't be reached
   */
  async session(): Promise<Http2Session> {
    if (this.#isClosed) throw new Error('The gateway closes its connections.');
    const free = this.#freeSession();
    if (free) return free;
    if (this.#sessions.size >= MAX_SESSIONS) return this.#leastBusy();
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Waits for what is in flight, then closes the sockets. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }

  /** Closes the sockets, whatever is in flight. */
  destroy(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.destroy();
  }

  #freeSession(): Http2Session | undefined {
    for (const session of this.#sessions) {
      if (session.hasRoom) return session;
      if (session.isOver) this.#sessions.delete(session);
    }
    return undefined;
  }

  #leastBusy(): Http2Session {
    return [...this.#sessions].reduce((least, one) => (one.streams < least.streams ? one : least));
  }

  async #open(): Promise<Http2Session> {
    const opened = await openHttp2Session(this.#origin, this.#options);
    const session = new Http2Session(opened, this.#authority, (retired) => this.#sessions.delete(retired));
    this.#sessions.add(session);
    return session;
  }
}

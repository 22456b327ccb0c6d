import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from './pool.ts';
import { onlyRow, queryChecked } from './statements.ts';
import { parseWalPosition } from './wal-position.ts';

/** What is known of a replica: `caught up` within the bound, behind it, unreachable, or a server that replays nothing. */
export type ReplicaState = 'caught up' | 'lags' | 'unreachable' | 'no replica';

/** A streaming replica of a pool's database, for reads that may be a little old. */
export interface Replica {
  readonly state: ReplicaState;
  /** Milliseconds: what it returns now is no older than that. Infinity where nothing is known. */
  readonly lagMs: number;
  /**
   * Reads from the replica where that has caught up, from the primary otherwise and where the replica fails.
   *
   * @param read has no effect, so that it may be done twice
   */
  read<Result>(read: (database: Pool) => Promise<Result>): Promise<Result>;
  /** Resolves when its connections are closed. */
  close(): Promise<void>;
}

/** How a state was found. */
export interface ReplicaFinding {
  /** Milliseconds, as {@link Replica.lagMs}. */
  readonly lagMs: number;
  /** Why the replica, or the primary's position, could not be read. Undefined where both could. */
  readonly cause: unknown;
}

/** Settings of {@link connectReplica}. */
export interface ReplicaOptions {
  readonly primary: Pool;
  readonly connectionString: string;
  /** The schema that the service owns. */
  readonly schema: string;
  /** Most connections. @default 10 */
  readonly max?: number;
  /** Milliseconds by which it may be behind. */
  readonly maxLagMs: number;
  /** Called with the first state that a look finds, and whenever it is another one. */
  readonly onState: (state: ReplicaState, found: ReplicaFinding) => void;
  /** Called for each read, with where it went. */
  readonly onRead?: (target: 'replica' | 'primary') => void;
}

/** Looks at most so often, and at least four times within the bound. */
const LOOK_MS = 250;
/** Positions of the primary that the replica has not reached: a minute of them. */
const MOST_POSITIONS = 240;
/** A replica that takes longer is given up, while there is time left to ask the primary. */
const PATIENCE_MS = 2_000;

/**
 * Connects to a replica, and measures how far it is behind: each look asks the primary for its position in the log of writes,
 * and then the replica. What has been replayed up to the position is as new as the moment before the primary was asked, whatever the clocks of
 * the machines say. The replica comes back by itself when it has caught up.
 */
export function connectReplica(options: ReplicaOptions): Replica {
  const { primary, maxLagMs, onRead = () => undefined } = options;
  const { connectionString, schema, max } = options;
  const pool = createPool({
    connectionString,
    schema,
    applicationName: `trellis-${schema}-replica`,
    queryTimeoutMs: PATIENCE_MS,
    ...(max !== undefined && { max }),
  });
  const freshness = new Freshness(maxLagMs, options.onState);
  const controller = new AbortController();
  const watching = watch({ primary, pool, freshness, maxLagMs, signal: controller.signal });
  return {
    get state() {
      return freshness.state;
    },
    get lagMs() {
      return freshness.lagMs;
    },
    read: async (read) => {
      if (freshness.state === 'caught up') {
        try {
          const result = await read(pool);
          onRead('replica');
          return result;
        } catch (error) {
          if (isTimeout(error)) throw error;
          if (!isOfStatement(error)) freshness.lost(error);
        }
      }
      onRead('primary');
      return read(primary);
    },
    close: async () => {
      controller.abort();
      await watching;
      await pool.end();
    },
  };
}

interface Watched {
  readonly primary: Pool;
  readonly pool: Pool;
  readonly freshness: Freshness;
  readonly maxLagMs: number;
  readonly signal: AbortSignal;
}

async function watch({ primary, pool, freshness, maxLagMs, signal }: Watched): Promise<void> {
  const pauseMs = Math.min(LOOK_MS, maxLagMs / 4);
  while (!signal.aborted) {
    await look({ primary, pool, freshness });
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** While the primary does not respond, the replica is as old as the last look that it did: it lags, and is not unreachable. */
async function look({
  primary,
  pool,
  freshness,
}: Pick<Watched, 'primary' | 'pool' | 'freshness'>): Promise<void> {
  const askedAt = performance.now();
  await writtenPosition(primary).then(
    (position) => freshness.asked(askedAt, position),
    (error: unknown) => freshness.notAsked(error),
  );
  await replayedPosition(pool).then(
    (position) => freshness.replayed(position),
    (error: unknown) => freshness.lost(error),
  );
}

async function writtenPosition(primary: Pool): Promise<bigint> {
  const rows = await queryChecked(
    primary,
    { position: 'text' },
    'SELECT pg_current_wal_lsn()::text AS position',
  );
  return parseWalPosition(onlyRow(rows).position);
}

/** Undefined for a server that replays nothing: it is a primary itself. */
async function replayedPosition(replica: Pool): Promise<bigint | undefined> {
  const text = `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS position`;
  const { position } = onlyRow(await queryChecked(replica, { position: 'text?' }, text));
  return position === null ? undefined : parseWalPosition(position);
}

/** How old what a replica has replayed is at most. */
class Freshness {
  readonly #maxLagMs: number;
  readonly #onState: ReplicaOptions['onState'];
  #reported: ReplicaState | undefined;
  #known: 'yes' | 'unreachable' | 'no replica' | 'not yet' = 'not yet';
  #cause: unknown;
  /** It has all that was committed then, on the clock of this process. */
  #asOf = -Infinity;
  /** Positions that it has not replayed, the oldest first. */
  #ahead: { readonly askedAt: number; readonly position: bigint }[] = [];

  constructor(maxLagMs: number, onState: ReplicaOptions['onState']) {
    this.#maxLagMs = maxLagMs;
    this.#onState = onState;
  }

  get lagMs(): number {
    return this.#known === 'yes' ? performance.now() - this.#asOf : Infinity;
  }

  get state(): ReplicaState {
    if (this.#known === 'not yet') return 'unreachable';
    const state = this.#known !== 'yes' ? this.#known : this.lagMs <= this.#maxLagMs ? 'caught up' : 'lags';
    if (state !== this.#reported) {
      this.#reported = state;
      this.#onState(state, { lagMs: this.lagMs, cause: this.#cause });
    }
    return state;
  }

  asked(askedAt: number, position: bigint): void {
    this.#cause = undefined;
    this.#ahead.push({ askedAt, position });
    if (this.#ahead.length > MOST_POSITIONS) this.#ahead.shift();
  }

  notAsked(cause: unknown): void {
    this.#cause = cause;
  }

  replayed(position: bigint | undefined): void {
    if (position === undefined) return this.#leave('no replica');
    this.#known = 'yes';
    for (let [first] = this.#ahead; first && first.position <= position; [first] = this.#ahead) {
      this.#asOf = first.askedAt;
      this.#ahead.shift();
    }
    void this.state; // is reported, though no one reads
  }

  lost(cause: unknown): void {
    this.#cause = cause;
    this.#leave('unreachable');
  }

  /** It may be another server when it comes back. */
  #leave(known: 'unreachable' | 'no replica'): void {
    this.#known = known;
    this.#asOf = -Infinity;
    this.#ahead = [];
    void this.state;
  }
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Of the connection, or of a server that stops or starts. */
const SQLSTATE_OF_SERVER = /^(08|57P)/;

/** What PostgreSQL says of one statement, such as a conflict with what is replayed, says nothing of the others. */
function isOfStatement(error: unknown): boolean {
  const code = codeOf(error);
  return SQLSTATE.test(code) && !SQLSTATE_OF_SERVER.test(code);
}

/** It has had its time: the primary would need as much again. */
function isTimeout(error: unknown): boolean {
  return codeOf(error) === '57014';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

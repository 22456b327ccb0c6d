import { ComposerThreads, ThreadEnded, type Composers } from '@trellis/composition';
import type { TokenCaller, TokenOutcome } from '@trellis/gateway/token-authentication';
import type { Pool } from '@trellis/postgres';
import type { Logger } from '@trellis/runtime';
import {
  RegistryError,
  type LogName,
  type RecordSigner,
  type RegistryStore,
  type TrustedKeys,
} from '@trellis/registry';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import { promoteRelease, rollbackRelease } from '../publish/move-commands.ts';
import { outcomeOfPublication } from '../publish/publish-command.ts';
import { publishRelease, type PublicationRequest } from '../publish/publish-release.ts';
import { PublicationRejected } from '../publish/publication-rejected.ts';
import { rejection } from '../publish/run-registry-action.ts';
import { OperationsProblem } from '../recorded/operations-problem.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import { AbortQueue } from './abort-queue.ts';
import { writeAttempt, type AuditedAction } from './audit-log.ts';
import { assertNotRevoked, authorizeKind, authorizeRequest, type ChangeKind } from './authorize-request.ts';
import { assertBound, type TokenBinding } from './bound-tokens.ts';
import { ChangeQueue } from './change-queue.ts';
import { rulesOf, runningOf } from './guard-bodies.ts';
import { createJudgementThread, type JudgementPlace } from './judgement-thread.ts';
import { parsed, type LogChange } from './log-change.ts';
import { abortChange, garbageChange, keysChange, variantChange } from './operator-changes.ts';
import { PostgresStore } from './postgres-store.ts';
import { registryLimits } from './registry-limits.ts';
import { promotionBody, publicationBody, rollbackBody } from './request-bodies.ts';

/** Checks of a large graph take seconds. */
const DEADLINE_MS: number = registryLimits.changeSeconds.amount * 1_000;

/** What logs are changed with. */
export interface LogChangesOptions extends TokenBinding {
  readonly pool: Pool;
  readonly signer: RecordSigner;
  /** Sign the logs that do not trust `signer`. @default none */
  readonly otherSigners?: readonly RecordSigner[] | undefined;
  readonly trust: TrustedKeys;
  readonly logger: Logger;
  /** Files and folders of recorded operations that checks go by. @default none */
  readonly operations?: readonly string[];
  /** The `gateway.yaml` of the gateways that serve what is published. @default the gateway's own defaults */
  readonly limitsFile?: string | undefined;
  /** Who composes. @default both */
  readonly composers?: Composers | undefined;
  /** Where changes are judged; closed with the server. @default a thread */
  readonly judgementPlace?: JudgementPlace;
  /** Ends a change that takes too long. @default after 300 seconds */
  readonly changeDeadline?: () => AbortSignal;
}

/**
 * What changes logs: with a right for each, one after the other, each with a row in the audit log. Composers and checks
 * have threads of their own.
 */
export class LogChanges {
  readonly #options: LogChangesOptions;
  readonly #queue = new ChangeQueue();
  readonly #aborts = new AbortQueue();
  readonly #threads = new ComposerThreads();
  readonly #judgementPlace: JudgementPlace;

  constructor(options: LogChangesOptions) {
    this.#options = options;
    this.#judgementPlace = options.judgementPlace ?? createJudgementThread();
  }

  /**
   * Judges the right to send a change of that kind, and by such a token, before it is sent.
   *
   * @throws RegistryError
   */
  async admit(what: ChangeKind, log: LogName, outcome: TokenOutcome): Promise<void> {
    try {
      authorizeKind(outcome, what, log);
      assertBound(outcome, this.#options);
    } catch (error) {
      const caller = outcome.kind === 'caller' ? outcome.caller : undefined;
      await this.#note({ action: ACTIONS[what], log, subgraphs: [], caller }, codeOf(error));
      throw error;
    }
  }

  /** Makes a change. @throws RegistryError; FileProblems, and errors that no caller can mend */
  async run(what: ChangeKind, log: LogName, body: unknown, outcome: TokenOutcome): Promise<CommandOutcome> {
    const change = this.#read(what, log, body);
    const caller = outcome.kind === 'caller' ? outcome.caller : undefined;
    const { pool } = this.#options;
    const { action, subgraphs, contracts } = change;
    const audited = { action, log, subgraphs, contracts, caller } as const;
    try {
      const allowed = authorizeRequest(outcome, change.requested);
      const access = this.#accessOf(allowed, new PostgresStore(pool, audited));
      const act = async (): Promise<CommandOutcome> => {
        // It may have waited for minutes.
        await assertNotRevoked(outcome, true);
        const signal = (this.#options.changeDeadline ?? deadline)();
        return change.act(access, signal, this.#judgementPlace.judgeUntil(signal));
      };
      const done = await (change.urgentKey === undefined
        ? this.#queue.run(access.actor, act)
        : this.#aborts.run(log, change.urgentKey, act));
      const said = String(done.document['outcome']);
      if (WITHOUT_RECORD.has(said)) await this.#note(audited, said);
      return done;
    } catch (error) {
      if (error instanceof PublicationRejected) {
        const rejected = rejection(error);
        await this.#note(audited, String(rejected.document['outcome']));
        return rejected;
      }
      const failure = this.#failureOf(error);
      await this.#note(audited, codeOf(failure));
      throw failure;
    }
  }

  /** What came of a change counts, whether or not its row can be written. */
  async #note(audited: AuditedAction, outcome: string): Promise<void> {
    await writeAttempt(this.#options.pool, audited, outcome).catch((error: unknown) => {
      const { action, log } = audited;
      this.#options.logger.error(
        { err: error, action, ...log, outcome },
        'an attempt is not in the audit log',
      );
    });
  }

  #failureOf(error: unknown): unknown {
    if (error instanceof OperationsProblem) return this.#unreadable(error);
    const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    return error instanceof ThreadEnded || isLate ? this.#unjudged(error) : error;
  }

  /** No record is written before a change is judged; once one may be, the store fails with an error of its own. */
  #unjudged(error: Error): RegistryError {
    this.#options.logger.error({ err: error }, 'a change could not be judged');
    const text = `The change could not be judged. ${error.message} Nothing was changed.`;
    return new RegistryError('STORE_UNAVAILABLE', text, { cause: error });
  }

  /** A client learns that it failed, not where the operations are. */
  #unreadable(error: OperationsProblem): RegistryError {
    this.#options.logger.error({ err: error }, 'recorded operations can not be read');
    const text = 'The recorded operations that checks go by can not be read.';
    return new RegistryError('STORE_UNAVAILABLE', text, { cause: error });
  }

  /** Ends what composes and judges. */
  async close(): Promise<void> {
    await Promise.all([this.#threads.close(), this.#judgementPlace.close()]);
  }

  #read(what: ChangeKind, log: LogName, body: unknown): LogChange {
    const { operations = [], limitsFile: limits } = this.#options;
    if (what === 'variants') return variantChange(log, body, { operations, limits });
    if (what === 'keys') return keysChange(log, body);
    if (what === 'aborts') return abortChange(log, body);
    if (what === 'garbage-collections') return garbageChange(body);
    if (what === 'publications') {
      const { approvals, composers: wanted, running, rules, ...publication } = parsed(publicationBody, body);
      const { set, remove, contracts } = publication;
      const subgraphs = [...set.map(({ name }) => name), ...remove];
      const { composers: own = 'both' } = this.#options;
      const composers = composersFor(own, wanted);
      const judgedBy = { operations, limits, rules: rulesOf(approvals, rules), running: runningOf(running) };
      const request = { ...publication, ...judgedBy, composers };
      // A contract is of the whole graph.
      const isWhole = publication.isWhole || contracts !== undefined;
      return {
        action: ACTIONS[what],
        subgraphs,
        contracts: [...(contracts?.set.map(({ name }) => name) ?? []), ...(contracts?.remove ?? [])],
        requested: { kind: 'publish', log, subgraphs, isWhole },
        act: async (access, signal, judge) => {
          const compose: PublicationRequest['compose'] = (...call) => this.#threads.compose(...call, signal);
          return outcomeOfPublication(
            await publishRelease(access, log, { ...request, compose, judge }, signal),
          );
        },
      };
    }
    const requested = { kind: 'move', log } as const;
    if (what === 'rollbacks') {
      const { to, running } = parsed(rollbackBody, body);
      const options = { to, running: runningOf(running) };
      return {
        action: ACTIONS[what],
        subgraphs: [],
        requested,
        act: (access, signal, judge) => rollbackRelease(access, log, { ...options, judge }, signal),
      };
    }
    const { from: environment, approvals, rules, running } = parsed(promotionBody, body);
    const from = { graph: log.graph, environment };
    const checks = { operations, limits, rules: rulesOf(approvals, rules), running: runningOf(running) };
    return {
      action: ACTIONS[what],
      subgraphs: [],
      requested,
      act: (access, signal, judge) => promoteRelease(access, { from, to: log }, { ...checks, judge }, signal),
    };
  }

  #accessOf({ clientId, subject }: TokenCaller, store: RegistryStore): SigningAccess {
    const { signer, otherSigners, trust } = this.#options;
    return { store, signer, otherSigners, trust, actor: clientId ?? subject ?? 'unknown' };
  }
}

const ACTIONS = {
  publications: 'publish',
  promotions: 'promote',
  rollbacks: 'rollback',
  variants: 'variant',
  keys: 'keys',
  aborts: 'abort',
  'garbage-collections': 'gc',
} as const satisfies Readonly<Record<ChangeKind, AuditedAction['action']>>;
/** What came of changes that have no record, and a row of their own. */
const WITHOUT_RECORD: ReadonlySet<string> = new Set([
  'already-published',
  'unchanged',
  'counted',
  'collected',
  'partly-collected',
]);

function codeOf(error: unknown): string {
  return error instanceof RegistryError ? error.code : 'FAILED';
}

/** A registry that asks both may be asked to be strict; a strict one stays so. @throws RegistryError INVALID_NAME */
function composersFor(own: Composers, wanted: Composers = own): Composers {
  const asksBoth = [own, wanted].every((composers) => composers === 'both' || composers === 'strict');
  if (own !== wanted && !asksBoth)
    throw new RegistryError('INVALID_NAME', `This registry composes by ${own}: leave --composers out.`);
  return own === 'strict' ? own : wanted;
}

function deadline(): AbortSignal {
  return AbortSignal.timeout(DEADLINE_MS);
}

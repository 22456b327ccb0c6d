import { DEFAULT_CHECK_RULES, type CheckRules } from '@trellis/composition';
import type { TokenCaller, TokenOutcome } from '@trellis/gateway/token-authentication';
import type { Pool } from '@trellis/postgres';
import {
  RegistryError,
  type LogName,
  type RecordSigner,
  type RegistryStore,
  type TrustedKeys,
} from '@trellis/registry';
import { z } from 'zod';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import { promoteRelease, rollbackRelease } from '../publish/move-commands.ts';
import { outcomeOfPublication } from '../publish/publish-command.ts';
import { publishRelease } from '../publish/publish-release.ts';
import { PublicationRejected } from '../publish/publication-rejected.ts';
import { rejection } from '../publish/run-command.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import { writeAuditRow } from './audit-log.ts';
import { authorizeRequest, type Wish } from './authorize-request.ts';
import { promotionBody, publicationBody, rollbackBody, type SentApproval } from './request-bodies.ts';

/** Composing takes memory: one at a time, and no more than these wait. */
const MAX_WAITING = 64;
/** Checks of a large graph take seconds. */
const DEADLINE_MS = 300_000;

/** What logs are changed with. */
export interface LogChangesOptions {
  readonly pool: Pool;
  readonly store: RegistryStore;
  readonly signer: RecordSigner;
  readonly trust: TrustedKeys;
  /** Files and folders of recorded operations that checks go by. @default none */
  readonly operations?: readonly string[];
}

/** What changes logs: with a right for each, one after the other, each with a row in the audit log. */
export class LogChanges {
  readonly #options: LogChangesOptions;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: LogChangesOptions) {
    this.#options = options;
  }

  async run(
    what: 'publications' | 'promotions' | 'rollbacks',
    log: LogName,
    body: unknown,
    outcome: TokenOutcome,
  ): Promise<CommandOutcome> {
    const change = this.#read(what, log, body);
    const row = { action: change.action, log, subgraphs: change.subgraphs } as const;
    const audit = (caller: TokenCaller | undefined, said: string, sequence?: number): Promise<void> =>
      writeAuditRow(this.#options.pool, { ...row, caller, outcome: said, sequence });
    let caller: TokenCaller | undefined;
    try {
      caller = outcome.kind === 'caller' ? outcome.caller : undefined;
      const allowed = authorizeRequest(outcome, change.wish);
      const done = await this.#inTurn(() => change.act(this.#accessOf(allowed)));
      await audit(caller, String(done.document['outcome']), sequenceIn(done));
      return done;
    } catch (error) {
      if (error instanceof PublicationRejected) {
        const rejected = rejection(error);
        await audit(caller, String(rejected.document['outcome']));
        return rejected;
      }
      await audit(caller, error instanceof RegistryError ? error.code : 'FAILED');
      throw error;
    }
  }

  #read(what: 'publications' | 'promotions' | 'rollbacks', log: LogName, body: unknown): LogChange {
    if (what === 'publications') {
      const { set, remove, isWhole, approvals } = parsed(publicationBody, body);
      const subgraphs = [...set.map(({ name }) => name), ...remove];
      const { operations = [] } = this.#options;
      const request = { set, remove, isWhole, operations, rules: rulesWith(approvals) };
      return {
        action: 'publish',
        subgraphs,
        wish: { kind: 'publish', subgraphs, isWhole },
        act: async (access) => outcomeOfPublication(await publishRelease(access, log, request, deadline())),
      };
    }
    const wish = { kind: 'move', log } as const;
    if (what === 'rollbacks') {
      const options = parsed(rollbackBody, body);
      return {
        action: 'rollback',
        subgraphs: [],
        wish,
        act: (access) => rollbackRelease(access, log, options, deadline()),
      };
    }
    const from = { graph: log.graph, environment: parsed(promotionBody, body).from };
    const { operations = [] } = this.#options;
    return {
      action: 'promote',
      subgraphs: [],
      wish,
      act: (access) => promoteRelease(access, { from, to: log }, { operations }, deadline()),
    };
  }

  #accessOf({ clientId, subject }: TokenCaller): SigningAccess {
    const { store, signer, trust } = this.#options;
    return { store, signer, trust, actor: clientId ?? subject ?? 'unknown' };
  }

  async #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING)
      throw new RegistryError('STORE_UNAVAILABLE', 'Too many publishers wait. Try again later.');
    this.#waiting += 1;
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn.finally(() => {
      this.#waiting -= 1;
    });
  }
}

interface LogChange {
  readonly action: 'publish' | 'promote' | 'rollback';
  readonly subgraphs: readonly string[];
  readonly wish: Wish;
  readonly act: (access: SigningAccess) => Promise<CommandOutcome>;
}

/** Approvals stand in a file of the publisher. */
function rulesWith(approvals: readonly SentApproval[]): CheckRules {
  const location = { source: 'checks.yaml' };
  return { ...DEFAULT_CHECK_RULES, approvals: approvals.map((approval) => ({ ...approval, location })) };
}

function sequenceIn({ document }: CommandOutcome): number | undefined {
  const { sequence } = (document['record'] ?? {}) as { readonly sequence?: number };
  return sequence;
}

function parsed<Shape extends z.ZodType>(shape: Shape, body: unknown): z.infer<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new RegistryError('INVALID_NAME', `The request is invalid: ${z.prettifyError(result.error)}`);
}

function deadline(): AbortSignal {
  return AbortSignal.timeout(DEADLINE_MS);
}

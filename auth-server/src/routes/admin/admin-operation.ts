import type { z } from 'zod';
import type { AuditFeatures } from '../../audit/audit-features.ts';
import type { AdminScope } from '../../clients/scopes.ts';
import { OAuthError } from '../../errors.ts';
import { parametersOf, type Parameters } from '../../parameters.ts';
import { invalid, type Administrator } from './admin-context.ts';

/** How an operation is called. */
export interface AdminCall {
  readonly administrator: Administrator;
  /** Parts of the path, by their names. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Parameters;
  /** JSON, not checked yet. */
  readonly body: unknown;
  /** The version of the thing that the caller has seen. RFC 9110 §13.1.1 */
  readonly ifMatch?: string | undefined;
}

/** What came of it. */
export interface AdminResult<Body> {
  readonly status: 200 | 201 | 202 | 204;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One operation of administration. The admin API, its description and the console come from the same list, so that each has
 * what the others have, with the same checks and the same line in the audit log.
 */
export interface AdminOperation<Features, Body = unknown> {
  /** `operationId` of the description, and name in the audit log. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the admin API, with `:name` for a part that varies. */
  readonly path: string;
  readonly scope: AdminScope;
  readonly summary: string;
  /** Query parameters and what they do. */
  readonly query?: Readonly<Record<string, string>>;
  /** What is sent. */
  readonly input?: z.ZodType;
  /** What comes back; absent where nothing does. */
  readonly output?: z.ZodType;
  /** Statuses of success. */
  readonly statuses: readonly (200 | 201 | 202 | 204)[];
  run(features: Features, call: AdminCall): Promise<AdminResult<Body>>;
}

/** Any operation, with what it works with. */
export type AnyOperation<Features> = AdminOperation<Features>;

/** What performs operations. */
export type PerformFeatures = Pick<AuditFeatures, 'audit'>;

/**
 * Runs an operation for someone who has its scope, and records who did it.
 *
 * @throws OAuthError
 */
export async function perform<Features extends PerformFeatures, Body>(
  features: Features,
  operation: AdminOperation<Features, Body>,
  call: AdminCall,
): Promise<AdminResult<Body>> {
  requireScopeFor(call.administrator, operation);
  const result = await operation.run(features, call);
  if (operation.method !== 'GET') record(features, operation, call);
  return result;
}

/** @throws OAuthError insufficient_scope for who may not do it */
export function requireScopeFor(
  { scopes }: Administrator,
  { scope }: Pick<AdminOperation<never>, 'scope'>,
): void {
  if (!scopes.includes(scope)) throw new OAuthError('insufficient_scope', `Needs ${scope}.`);
}

/** Where the thing stands in the log that an operation is about, by the first part of its path. */
const TARGETS: Readonly<Record<string, 'subject' | 'clientId' | 'grantId'>> = {
  accounts: 'subject',
  clients: 'clientId',
  grants: 'grantId',
};

function record<Features extends PerformFeatures>(
  { audit }: PerformFeatures,
  { id: operation, path }: AdminOperation<Features>,
  { administrator, path: { id: target } }: AdminCall,
): void {
  const [, kind = ''] = path.split('/');
  const member = TARGETS[kind];
  const about = target === undefined ? {} : member === undefined ? { target } : { [member]: target };
  audit.record({ event: 'administered', operation, ...about, by: administrator.actor });
}

/** A call without query and body. */
export function callOf(
  administrator: Administrator,
  path: Readonly<Record<string, string>> = {},
  body?: unknown,
): AdminCall {
  return { administrator, path, query: parametersOf([]), body };
}

/** Reads what was sent. @throws OAuthError invalid_request with all that is wrong */
export function parse<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`));
}

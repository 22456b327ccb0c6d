import { RegistryError } from '@trellis/registry';
import { z } from 'zod';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import type { ReleaseJudge } from '../publish/judgements.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import type { AuditedAction } from './audit-log.ts';
import type { RequestedAction } from './authorize-request.ts';

/** A change that was read of a request: what right it takes, and what it does. */
export interface LogChange extends Pick<AuditedAction, 'action' | 'subgraphs' | 'contracts'> {
  readonly requested: RequestedAction;
  /** It waits for no change that composes; of the same key, it is made once. Absent: changes are made one after the other, as composing takes memory. */
  readonly urgentKey?: string;
  readonly act: (access: SigningAccess, signal: AbortSignal, judge: ReleaseJudge) => Promise<CommandOutcome>;
}

/** Reads a body. @throws RegistryError INVALID_NAME */
export function parsed<Shape extends z.ZodType>(shape: Shape, body: unknown): z.infer<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new RegistryError('INVALID_NAME', `The request is invalid: ${z.prettifyError(result.error)}`);
}

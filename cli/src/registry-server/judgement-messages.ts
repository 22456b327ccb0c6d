import { RegistryError, registryErrors, type RegistryErrorCode } from '@trellis/registry';
import type { ReleaseJudge } from '../publish/judgements.ts';
import {
  OperationsProblem,
  operationsProblems,
  type OperationsProblemCode,
} from '../recorded/operations-problem.ts';

/** What a judgement thread is asked for. */
export type JudgementTask = {
  readonly [Name in keyof ReleaseJudge]: {
    readonly name: Name;
    readonly given: Parameters<ReleaseJudge[Name]>;
  };
}[keyof ReleaseJudge];

/** What it returns for each task. */
export type JudgementReply =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string };

/** An error as it goes from thread to thread: of its members, the code alone would be lost. */
export function failedReply(error: unknown): JudgementReply {
  const isOurs = error instanceof RegistryError || error instanceof OperationsProblem;
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', code: isOurs ? error.code : undefined, message };
}

/** The error that a thread met. */
export function errorOfReply({ code, message }: Extract<JudgementReply, { kind: 'failed' }>): Error {
  if (code !== undefined && Object.hasOwn(registryErrors, code))
    return new RegistryError(code as RegistryErrorCode, message); // its own key
  if (code !== undefined && Object.hasOwn(operationsProblems, code))
    return new OperationsProblem(code as OperationsProblemCode, message); // its own key
  return new Error(message);
}

import type { ChangeKind } from './change-kind.ts';
import { inputKinds, type InputCode } from './input-kinds.ts';
import { meaningKinds, type MeaningCode } from './meaning-kinds.ts';
import { outputKinds, type OutputCode } from './output-kinds.ts';
import { structureKinds, type StructureCode } from './structure-kinds.ts';

/** Every kind of change of what clients see, by its code: the API schema. */
export const shapeKinds: Readonly<Record<OutputCode | InputCode, ChangeKind>> = {
  ...outputKinds,
  ...inputKinds,
};

/** The code of a kind of change. Codes are stable: approvals and pipelines name them. */
export type ChangeCode = OutputCode | InputCode | MeaningCode | StructureCode;

/** Every kind of change that a check knows, by its code. */
export const changeKinds: Readonly<Record<ChangeCode, ChangeKind>> = {
  ...shapeKinds,
  ...meaningKinds,
  ...structureKinds,
};

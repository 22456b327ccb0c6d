import type { ChangeKind } from './change-kind.ts';
import { meaningKinds, type MeaningCode } from './meaning-kinds.ts';
import { shapeKinds, type ShapeCode } from './shape-kinds.ts';

/** The code of a kind of change. Codes are stable: approvals and pipelines name them. */
export type ChangeCode = ShapeCode | MeaningCode;

/** Every kind of change that a check knows, by its code. */
export const changeKinds: Readonly<Record<ChangeCode, ChangeKind>> = { ...shapeKinds, ...meaningKinds };

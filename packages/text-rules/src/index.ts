export { characterProblem, type TextKind } from './character-problem.ts';
export { unfitTextIn } from './unfit-text-in.ts';

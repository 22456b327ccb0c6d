export { drawOrder, type DrawOptions, type OrderPicture, type PicturedStep } from './draw-order.ts';
export { FIELD_COORDINATE, RECORD_SEQUENCE } from './operations-paths.ts';
export { describeStep, type OrderStep } from './order-step.ts';
export {
  decodeVerdict,
  encodeVerdict,
  MAX_VERDICT_BYTES,
  parseVerdict,
  type JudgedOrder,
  type ReleaseVerdict,
  type VerdictChange,
  type VerdictCounts,
} from './release-verdict.ts';

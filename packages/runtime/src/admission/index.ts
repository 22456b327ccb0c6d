export { clientNetworkOf, type ClientNetwork } from './client-network/client-network.ts';
export {
  DEFAULT_SHARES,
  amountAt,
  amountsOf,
  sharesAround,
  type DefaultShares,
  type LevelAmounts,
} from './fair-share/share-limit.ts';
export {
  FairQueue,
  type FairQueueOptions,
  type QueueCaller,
  type QueuePlace,
  type QueueRejection,
  type ServedItem,
} from './fair-share/fair-queue.ts';
export { RecentUse, type RecentUseOptions } from './fair-share/recent-use.ts';
export { ShareBuckets, type BucketRate, type ShareBucketsOptions } from './fair-share/share-buckets.ts';
export { shareKeysOf, type ShareKeys, type SharedBy } from './fair-share/share-keys.ts';
export { ShareLimit, type ShareLimitOptions, type ShareRejection } from './fair-share/share-limit.ts';
export {
  certificateThumbprint,
  forwardedCertificate,
  forwardedThumbprint,
  type ForwardedFormat,
} from './certificates/forwarded-certificate.ts';
export { characterProblem, type TextKind } from './texts/character-problem.ts';
export { fileNameProblem, type FileNameRules } from './texts/file-name-problem.ts';
export { mayHoldUnfitText } from './texts/may-hold-unfit-text.ts';
export { unfitTextIn } from './texts/unfit-text-in.ts';

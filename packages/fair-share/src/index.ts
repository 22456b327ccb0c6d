export { clientNetworkOf, type ClientNetwork } from './client-network.ts';
export {
  DEFAULT_SHARES,
  amountAt,
  amountsOf,
  sharesAround,
  type DefaultShares,
  type LevelAmounts,
} from './default-shares.ts';
export {
  FairQueue,
  type FairQueueOptions,
  type QueueCaller,
  type QueuePlace,
  type QueueRefusal,
  type ServedItem,
} from './fair-queue.ts';
export { RecentUse, type RecentUseOptions } from './recent-use.ts';
export { ShareBuckets, type BucketRate, type ShareBucketsOptions } from './share-buckets.ts';
export { shareKeysOf, type ShareKeys, type SharedBy } from './share-keys.ts';
export { ShareLimit, type ShareLimitOptions, type ShareRefusal } from './share-limit.ts';

export { OfflineGraph, type AcceptedOperation, type RejectedOperation } from './offline-graph.ts';
export { offlineFetchesOf, type OfflineFetch, type OfflinePlan, type OfflineStep } from './offline-plan.ts';
export { readOfflineSettings, type OfflineSettings } from './offline-settings.ts';
export type { OfflineMeaning } from './graph-meaning.ts';
export { costOf, planRecorded, variablesOf, type PlannedRecord } from './plan-recorded.ts';

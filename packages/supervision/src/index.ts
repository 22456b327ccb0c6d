export { becomesReady } from './become-ready.ts';
export { DirectoryInUse, lockDirectory, ownerOfDirectory, type DirectoryLock } from './directory-lock.ts';
export { freePort } from './free-port.ts';
export {
  startGuarded,
  type GuardedProcess,
  type GuardedProcessOptions,
  type ProcessExit,
  type RunAs,
} from './guarded-process.ts';
export { keepRunning, type KeepRunningOptions, type RunningProcess } from './keep-running.ts';
export { endLeftovers, type LeftoverOptions } from './leftovers.ts';
export { probePort } from './probe-port.ts';
export { startTimeOf } from './process-identity.ts';

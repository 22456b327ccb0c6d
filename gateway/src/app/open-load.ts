import type { Resources } from '@trellis/runtime';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import { Admission, SustainedOverload } from '../load/admission.ts';
import { ExecutionGate } from '../load/execution-gate.ts';
import { FairTurns } from '../load/waiting-line.ts';
import { InFlightBytes } from '../load/in-flight-bytes.ts';
import { UnreadResponses } from '../load/unread-responses.ts';
import {
  createUnreadCutOffs,
  registerInFlightGauge,
  registerUnreadGauges,
} from '../observability/connection-metrics.ts';
import { inFlightRules, unreadRules } from './resource-rules.ts';

/** What keeps load within what the process can do. */
export interface LoadResources {
  readonly admission: Admission;
  readonly executionGate: ExecutionGate;
  readonly textTurns: FairTurns;
  readonly eventTurns: FairTurns;
  readonly unread: UnreadResponses;
  readonly inFlight: InFlightBytes;
}

/** Of each turn of the event loop, for texts that are new. They leave out some turns: hundreds may come at once. */
const TEXTS = { turnMs: 5, turnsBetween: 16 };
/** Of each turn, for events and ticks that begin. A response has several turns, and waits for as much in each. */
const EVENTS = { turnMs: 1 };

/** Opens it. */
export function openLoad(inUse: SettingsInUse, metrics: Resources['metrics']): LoadResources {
  const overload = new SustainedOverload();
  const executionGate = new ExecutionGate({ overload });
  const unread = openUnreadResponses(inUse, metrics);
  const admission = new Admission(inUse.admission, {
    overload,
    queue: executionGate,
    makeRoom: () => unread.cutOffSlowest(), // a request that finds all places taken gets that of a slow consumer
  });
  const inFlight = openInFlightBytes(inUse, metrics);
  return {
    admission,
    executionGate,
    textTurns: new FairTurns(TEXTS),
    eventTurns: new FairTurns(EVENTS),
    unread,
    inFlight,
  };
}

function openUnreadResponses(inUse: SettingsInUse, metrics: Resources['metrics']): UnreadResponses {
  const onCutOff = createUnreadCutOffs(metrics);
  const unread = new UnreadResponses(unreadRules(inUse), { onCutOff });
  registerUnreadGauges(metrics, unread);
  return unread;
}

function openInFlightBytes(inUse: SettingsInUse, metrics: Resources['metrics']): InFlightBytes {
  const inFlight = new InFlightBytes(inFlightRules(inUse));
  registerInFlightGauge(metrics, inFlight);
  return inFlight;
}

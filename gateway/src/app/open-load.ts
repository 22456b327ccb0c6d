import type { Resources } from '@trellis/runtime';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import { Admission, SustainedOverload } from '../load/admission.ts';
import { ExecutionGate } from '../load/execution-gate.ts';
import { FairTurns } from '../load/waiting-line.ts';
import { UnansweredBytes } from '../load/unanswered-bytes.ts';
import { UnreadResponses } from '../load/unread-responses.ts';
import {
  createUnreadCutOffs,
  registerUnansweredGauge,
  registerUnreadGauges,
} from '../observability/connection-metrics.ts';
import { unansweredRules, unreadRules } from './resource-rules.ts';

/** What keeps load within what the process can do. */
export interface LoadResources {
  readonly admission: Admission;
  readonly executionGate: ExecutionGate;
  readonly textTurns: FairTurns;
  readonly eventTurns: FairTurns;
  readonly unread: UnreadResponses;
  readonly unanswered: UnansweredBytes;
}

/** Of each turn of the event loop, for texts that no one has sent before. They leave out some turns: hundreds may come at once. */
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
    makeRoom: () => unread.cutOffSlowest(), // a request that finds all places taken gets that of someone who does not read
  });
  const unanswered = openUnansweredBytes(inUse, metrics);
  return {
    admission,
    executionGate,
    textTurns: new FairTurns(TEXTS),
    eventTurns: new FairTurns(EVENTS),
    unread,
    unanswered,
  };
}

function openUnreadResponses(inUse: SettingsInUse, metrics: Resources['metrics']): UnreadResponses {
  const onCutOff = createUnreadCutOffs(metrics);
  const unread = new UnreadResponses(unreadRules(inUse), { onCutOff });
  registerUnreadGauges(metrics, unread);
  return unread;
}

function openUnansweredBytes(inUse: SettingsInUse, metrics: Resources['metrics']): UnansweredBytes {
  const unanswered = new UnansweredBytes(unansweredRules(inUse));
  registerUnansweredGauge(metrics, unanswered);
  return unanswered;
}

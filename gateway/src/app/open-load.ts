import type { Resources } from '@trellis/runtime';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import { Admission, SustainedOverload } from '../load/admission.ts';
import { ExecutionGate } from '../load/execution-gate.ts';
import { TextTurns } from '../load/text-turns.ts';
import { TurnQueue } from '../load/waiting-line.ts';
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
  readonly textTurns: TextTurns;
  readonly eventTurns: TurnQueue;
  readonly unread: UnreadResponses;
  readonly unanswered: UnansweredBytes;
}

/** Events and ticks that begin in one turn of the event loop: a response waits for as many, at most, on each of its ways. */
const EVENTS_PER_TURN = 4;

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
    textTurns: new TextTurns(),
    eventTurns: new TurnQueue(EVENTS_PER_TURN),
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

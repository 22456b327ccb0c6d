import { shareKeysOf, type QueueCaller } from '@trellis/runtime/admission';

/** The owner of an account, by a known browser, the right password or a link: one caller, wherever it is. */
export function hashCallerOf(accountId: string): QueueCaller {
  return { keys: shareKeysOf({ user: accountId, address: '' }), isKnown: true };
}

/** One of whom the network is known. @param isKnown whether there is a proof besides, such as a link that was sent by mail */
export function hashCallerAt(address: string, isKnown: boolean): QueueCaller {
  return { keys: shareKeysOf({ address }), isKnown };
}

/** Who may run commands. */
export const COMMAND_CALLER: QueueCaller = { keys: ['command'], isKnown: true };

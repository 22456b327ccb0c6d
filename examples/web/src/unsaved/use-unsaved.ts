import { useState } from 'react';
import { useSessionState } from '../session/session-context.tsx';

/** What is being written, and how to hold and drop it. */
export interface Unsaved<Value> {
  /** Undefined: nothing. */
  readonly unsaved: Value | undefined;
  store(value: Value): void;
  remove(): void;
}

/**
 * Holds what is being written for as long as the tab is open: a reload, an ended session, a conflict and a failed request lose
 * nothing of it. Another user does not find it.
 *
 * @param name of the form, for example with a post's id
 */
export function useUnsaved<Value>(name: string): Unsaved<Value> {
  const session = useSessionState();
  const owner = session.kind === 'signed-in' ? session.subject : '';
  const key = `trellis-unsaved.${owner}.${name}`;
  const [unsaved, setUnsaved] = useState(() => read(key) as Value | undefined); // stored below
  return {
    unsaved,
    store(value) {
      sessionStorage.setItem(key, JSON.stringify(value));
      setUnsaved(value);
    },
    remove() {
      sessionStorage.removeItem(key);
      setUnsaved(undefined);
    },
  };
}

function read(key: string): unknown {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as unknown);
}

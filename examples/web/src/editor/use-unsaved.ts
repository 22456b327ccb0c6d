import { useState } from 'react';

/** What a writer has in the form. */
export interface Written {
  readonly title: string;
  readonly body: string;
  /** As it was typed: separated by commas. */
  readonly tags: string;
}

/** Words that the graph does not have yet, and which version of the post they were written on. */
export interface Unsaved extends Written {
  /** The post's `updatedAt`; absent for a new post. */
  readonly base?: string;
}

const PREFIX = 'trellis-unsaved.';

/**
 * Holds what is being written for as long as the tab is open: a reload, an ended session, a conflict and a failed request lose
 * nothing of it.
 *
 * @param name of the form: a post's id, or `new`
 */
export function useUnsaved(name: string): {
  readonly unsaved: Unsaved | undefined;
  store(unsaved: Unsaved): void;
  remove(): void;
} {
  const key = `${PREFIX}${name}`;
  const [unsaved, setUnsaved] = useState(() => read(key));
  return {
    unsaved,
    store(written) {
      sessionStorage.setItem(key, JSON.stringify(written));
      setUnsaved(written);
    },
    remove() {
      sessionStorage.removeItem(key);
      setUnsaved(undefined);
    },
  };
}

function read(key: string): Unsaved | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Unsaved); // written above
}

import { LRUCache } from 'lru-cache';

/** Texts of automatic persisted queries by their SHA-256. */
export interface PersistedQueryStore {
  get(hash: string): Promise<string | undefined> | string | undefined;
  /** @param hash that of the text: the caller has checked it */
  set(hash: string, text: string): void;
}

const MAX_CHARACTERS = 16_777_216;

/** A store in memory: at most 16 million characters, what was not used for longest goes first. */
export function createMemoryPersistedQueryStore(maxCharacters: number = MAX_CHARACTERS): PersistedQueryStore {
  return new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (text, hash) => text.length + hash.length,
  });
}

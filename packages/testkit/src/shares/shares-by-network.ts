import { describe, expect, it } from 'vitest';
import {
  relatedByNetwork,
  relatedByUser,
  type RelatedCallers,
  type SharingCaller,
} from './callers-of-networks.ts';

/** What there is so much of at a time, or in a time, and all clients take from. */
export interface SharedResource {
  /** As a title has it. */
  readonly name: string;
  /** How often the narrowest network may take, all of the one around it, and all of the one around that. */
  readonly most: readonly [number, number, number];
  /** Whether a user has a share of its own wherever it is. @default false */
  readonly isByUser?: boolean;
  /** Makes one of which no one has taken anything. */
  open(): OpenResource | Promise<OpenResource>;
}

/** One whose clock stands still. */
export interface OpenResource {
  /** @returns whether it was given */
  take(caller: SharingCaller): boolean | Promise<boolean>;
  /** What those who have taken have of it, where it may be taken from them again. @default all that was given */
  held?(): number;
  close?(): void;
}

/** What is given in turns. */
export interface SharedTurns {
  readonly name: string;
  /** @default false */
  readonly isByUser?: boolean;
  open(): OpenTurns;
}

/** One for which no one waits. */
export interface OpenTurns {
  wait(caller: SharingCaller): void;
  /** @returns so many of those who waited, in the order of their turns */
  serve(count: number): readonly SharingCaller[] | Promise<readonly SharingCaller[]>;
  close?(): void;
}

/**
 * Defines tests of what each of the resources gives to callers who are one by their networks, by how their address is written,
 * or by their user: however many they are, no more than one has.
 */
export function testShares(resources: readonly SharedResource[]): void {
  describe.each(resources)('$name', (resource) => {
    it.each(relatedTo(resource))('give $are one part, and an outsider some of the rest', async (callers) => {
      const most = resource.most[callers.level];
      const opened = await resource.open();
      let given = 0;
      for (let number = 0; number < 2 * most + 10; number += 1)
        given += Number(await opened.take(callers.caller(number)));
      const held = opened.held?.() ?? given;
      const isLeft = await opened.take(callers.outsider);
      opened.close?.();
      expect({ isOver: held > most, isLeft }, `${held} of ${most}`).toEqual({ isOver: false, isLeft: true });
      expect(held, 'what is given').toBeGreaterThan(most * 0.9);
    });
  });
}

/** Of those, an outsider has about half, though it came last. */
const TURNS = 40;

/** Defines tests that callers who are one wait as one for their turns. */
export function testTurns(resources: readonly SharedTurns[]): void {
  describe.each(resources)('$name', (resource) => {
    it.each(relatedTo(resource))('let an outsider have every other one beside $are', async (callers) => {
      const opened = resource.open();
      for (let number = 0; number < 2 * TURNS; number += 1) opened.wait(callers.caller(number));
      for (let number = 0; number < TURNS / 2; number += 1) opened.wait(callers.outsider);
      const served = await opened.serve(TURNS);
      opened.close?.();
      expect(served).toHaveLength(TURNS);
      expect(served.filter((caller) => caller === callers.outsider).length).toBeGreaterThan(TURNS / 2 - 3);
    });
  });
}

function relatedTo({ isByUser = false }: { readonly isByUser?: boolean }): readonly RelatedCallers[] {
  return isByUser ? [...relatedByNetwork, relatedByUser] : relatedByNetwork;
}

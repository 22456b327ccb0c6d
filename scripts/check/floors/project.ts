/** A folder with the files right in it, or a file at the root of its project. */
export interface Room {
  /** A room imports rooms of lower floors, and none of its own. */
  readonly floor: number;
  /** What stands here, in one line. */
  readonly purpose: string;
  /** Its sub-folders by path, each a room on the same floor. They and the room import one another without a cycle. */
  readonly parts?: Readonly<Record<string, string>>;
  /**
   * The only rooms above that may import it, where its floor alone would let in too many. In a project of whole rooms their tests, proofs/
   * and testing/ are held to it as well.
   */
  readonly onlyFor?: readonly string[];
}

/** A folder of the repository whose rooms have floors. */
export interface Project {
  /** Relative to the repository; `.` is the repository itself. */
  readonly folder: string;
  /** Where in the folder its rooms are; beside it may stand proofs. @default the folder itself */
  readonly sources?: string;
  /** Rooms are folders with all that is below them, which are laid out by themselves. @default false */
  readonly whole?: boolean;
  /** Tests, proofs/ and testing/ stand above all rooms; otherwise they belong to the rooms that hold them. @default true */
  readonly testsOnTop?: boolean;
  readonly introduction: string;
  /** By path within {@link Project.sources}, from the top floor to the lowest. */
  readonly rooms: Readonly<Record<string, Room>>;
}

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Unit tests of programs: they start them. */
const PROGRAMS = /\/(bench|scripts)\//;

/**
 * Runs first the files that start processes or ask them: they take longest, and one of them at the end would run while the other
 * workers have nothing to do. Behind them the others, the largest first, or those that took longest the last time.
 */
export class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the method of a sequencer, not of an array
    const sorted = await super.sort(files);
    const [first, others] = [true, false].map((isFirst) =>
      sorted.filter((file) => startsProcesses(file) === isFirst),
    );
    return [...(first ?? []), ...(others ?? [])];
  }
}

function startsProcesses({ project, moduleId }: TestSpecification): boolean {
  return project.name !== 'unit' || PROGRAMS.test(moduleId);
}

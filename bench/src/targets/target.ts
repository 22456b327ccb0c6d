/** Where the measured graph is. */
export interface MeasuredGraph {
  readonly supergraphFile: string;
  /** name → URL */
  readonly subgraphUrls: Readonly<Record<string, string>>;
}

/** A gateway to measure. */
export interface Target {
  readonly name: string;
  /** The program that serves the graph on the port, in the foreground. */
  readonly command: (graph: MeasuredGraph, port: number) => readonly [program: string, ...args: string[]];
  /** The path of its endpoint. */
  readonly path: string;
}

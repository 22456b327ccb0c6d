/** A step of the order in which a change is deployed and published. */
export interface OrderStep {
  /**
   * `deploy-both`: with what is new and still with what was before. `deploy-rest`: after that, as it is in this change.
   * `deploy-any-time`: here or at any other time. `end`: the subgraph is no longer asked.
   */
  readonly action: 'deploy' | 'deploy-both' | 'deploy-any-time' | 'publish' | 'deploy-rest' | 'end';
  /** Undefined for `publish`. */
  readonly subgraph?: string | undefined;
  /** Of `deploy-both`: why what is new is needed, and why what was before. */
  readonly forNew?: string | undefined;
  readonly forOld?: string | undefined;
}

/** A step in words, as the command line says it. */
export function describeStep({ action, subgraph = '', forNew = '', forOld = '' }: OrderStep): string {
  switch (action) {
    case 'deploy':
      return `deploy ${subgraph}`;
    case 'deploy-both':
      return `deploy ${subgraph} with what is new (${forNew}) and still with what was before (${forOld})`;
    case 'deploy-any-time':
      return `deploy ${subgraph} (or at any other time)`;
    case 'publish':
      return 'publish';
    case 'deploy-rest':
      return `deploy ${subgraph} as it is in this change`;
    case 'end':
      return `end ${subgraph}`;
    default:
      return action satisfies never;
  }
}

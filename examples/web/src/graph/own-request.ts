/**
 * Context of a query that is loaded again after a change. Apollo Client would join that to an equal request under way, whose response
 * may be from before the change.
 */
export const ownRequest = { queryDeduplication: false };
